"""Export and import: an org, a person or an agent as JSON lines in a zip, with every version.

`tables.py` names every table of the schema: how its rows are chosen and in which order they are imported, or why they do not
travel. `export.py` reads everything as it stood at one moment; `importing.py` writes all of it in one transaction, or
nothing. The format is described in docs/exchange.md.
"""
