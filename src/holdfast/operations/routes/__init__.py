"""The routers of this room, one file per resource."""

from holdfast.operations.routes import jobs, llm_calls, revisions, stats

routers = [jobs.router, llm_calls.router, revisions.router, stats.router]
