"""Context: what to put in a prompt, from every face, in one call and within one budget of tokens.

The user's core blocks (byte for byte the same until they change), reminders for this turn, the agent's entries and the
conversation. It crosses faces, so it calls their services and keeps nothing but what a turn was reminded of.
"""
