"""`python -m holdfast.hooks AGENT`: one event of a coding agent."""

import json
import os
import sys
from contextlib import suppress

from holdfast.hooks.agents import AGENTS, CodingAgent, Happened, read
from holdfast.lean_imports import skip_unused
from holdfast.local import find_service, local_data_dir

# The agent waits for an answer; nobody waits for what is stored.
ANSWER_WITHIN_S = 0.25
STORE_WITHIN_S = 10.0


def main() -> int:
    """Answer an event; always with status 0, since a hook that fails would stop the agent."""
    skip_unused()
    with suppress(Exception):  # fails open, whatever it is: no memory is better than no agent
        name = sys.argv[1]
        happened = read(AGENTS[name], json.load(sys.stdin))
        if happened is not None:
            _handle(name, AGENTS[name], happened)
    return 0


def _handle(name: str, agent: CodingAgent, happened: Happened) -> None:
    where = _service()
    if where is None:
        return
    if happened.event in ("start", "prompt"):
        with suppress(
            Exception
        ):  # as above: what was said is stored also when nothing can be recalled
            _answer(name, agent, happened, where)
    _store_in_background(name, happened, where)


def _answer(name: str, agent: CodingAgent, happened: Happened, where: tuple[str, str]) -> None:
    from holdfast.hooks.events import given_text
    from holdfast_client.client import Client

    timeout_s = float(os.environ.get("HOLDFAST_HOOK_TIMEOUT_S", ANSWER_WITHIN_S))
    with Client(*where, timeout=timeout_s, max_retries=0) as client:
        text = given_text(client, name, happened)
    if text:
        sys.stdout.write(agent.answer(happened.name, text) + "\n")
        sys.stdout.flush()


def _store_in_background(name: str, happened: Happened, where: tuple[str, str]) -> None:
    """Store in a child of its own session: the agent neither waits for it nor ends it."""
    if os.fork() != 0:
        return
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    try:
        from holdfast.hooks.events import store
        from holdfast_client.client import Client

        with Client(*where, timeout=STORE_WITHIN_S) as client:
            store(client, name, happened)
    finally:
        os._exit(0)


def _service() -> tuple[str, str] | None:
    """URL and key: the environment's, else those of the service that runs on the data folder."""
    url, key = os.environ.get("HOLDFAST_URL"), os.environ.get("HOLDFAST_API_KEY")
    if url and key:
        return url, key
    local = find_service(local_data_dir())
    return (local.url, local.key) if local is not None else None


if __name__ == "__main__":
    sys.exit(main())
