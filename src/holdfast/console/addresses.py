"""Addresses of pages that several rooms of the console link to."""

from urllib.parse import urlencode

from holdfast.memories.model import Memory


def memory_address(memory: Memory) -> str:
    """The page of a memory; one that belongs to an agent or a project is only seen from there, so the address names it."""
    named = {"agent": {"agent_id": memory.agent_id}, "project": {"project_id": memory.project_id}}
    query = {name: value for name, value in named.get(memory.scope, {}).items() if value}
    return f"/memories/{memory.id}" + (f"?{urlencode(query)}" if query else "")
