"""Hooks of coding agents: what an agent runs when a session starts, a prompt is sent, a turn ends.

    python -m holdfast.hooks AGENT        with the agent's payload on standard input

agents.py     each agent: its events, its payload, how it takes an answer, where its hooks are configured
events.py     what happens at an event: context, recall, append, settle
texts.py      the text that is given to the agent, marked so that it is not stored again

A hook never fails and never waits long: without a service, or when one is slow, it prints nothing and ends with status 0.
What only writes is done by a child process that the agent does not wait for. `holdfast hooks install` configures them.
"""
