"""The routers of this room, one file per resource."""

from holdfast.operations.routes import jobs, llm_calls

routers = [jobs.router, llm_calls.router]
