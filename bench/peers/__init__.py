"""LangGraph's PostgresStore and mem0 on the questions of `bench.recall`: same units, embedder, Postgres and measures.

They live in an environment of their own (`make bench-peers` makes .venv-peers), so that what they depend on never meets
what the service depends on. `__main__.py` runs there: it stores, asks, and reports what was found and how long it took.
`run.py` runs beside the service: it starts that process, gives it a database, and does the counting.
"""
