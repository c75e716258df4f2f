"""Consolidation: looks at what memory holds for a user or an agent, and proposes what to merge, supersede, retire or move.

`stored` reads the rows, `find` (pure) says what is wrong with them, `service` makes proposals of it, `hygiene` counts.
"""
