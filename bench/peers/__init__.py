"""Measures LangGraph's PostgresStore and mem0 as `bench.recall` does: same units, questions, embedder, Postgres and measures.

They are installed in their own virtual environment (`make bench-peers` makes .venv-peers), so that their dependencies do not
conflict with those of the service. `__main__.py` runs there: it stores, asks, and reports results and times. `run.py` runs in
the environment of the service: it starts that process, gives it a database, and computes the figures.
"""
