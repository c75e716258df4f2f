"""Blocks: what an agent should always know about its user, and what it can look up.

A block is one text, replaced as a whole under compare-and-set: `core` reaches the model with every request, `archival` is
searched line by line. One per user and type; and one more per agent, for what only that agent should know.
"""
