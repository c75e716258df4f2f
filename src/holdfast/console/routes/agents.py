"""Agents: which there are, their project, and the memory resources that they refer to."""

from typing import Any

from fastapi import APIRouter, Response

from holdfast.console.fields import Fields
from holdfast.console.visit import PageRoute, TheVisit
from holdfast.conversations.resources import service as resources
from holdfast.directory import agents
from holdfast.directory.model import MAX_REFERENCES
from holdfast.kernel.errors import Invalid, Malformed
from holdfast.kernel.pages import Cursor
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=PageRoute, prefix="/agents", include_in_schema=False)

MODES = ("read-write", "read-only")
MAX_KEY_CHARS = 256


@router.get("", response_model=None)
async def list_agents(visit: TheVisit) -> Response:
    """The agents of the workspace."""
    cursor = visit.cursor(named=True)
    page = await agents.list_agents(visit.db, visit.caller, cursor)
    return visit.page("org/agents.html", agents=page.data, pages=visit.pager(page, cursor))


@router.post("", response_model=None)
async def register_agent(visit: TheVisit) -> Response:
    """Register an agent, or name it."""
    form = visit.form
    agent_id = form.name("agent_id")
    if agent_id is None:
        raise Malformed.field("agent_id", "name the agent")
    await agents.put_agent(
        visit.db,
        visit.caller,
        agent_id,
        name=form.text("name"),
        project_id=form.name("project_id"),
    )
    return visit.go(f"/agents/{agent_id}", "saved")


@router.get("/{agent_id}", response_model=None)
async def agent(visit: TheVisit, agent_id: str) -> Response:
    """One agent, with the form for who may change it."""
    found = await agents.read_agent(visit.db, visit.caller, agent_id)
    known = await resources.list_resources(visit.backends, visit.caller, Cursor(100))
    return visit.page(
        "org/agent.html",
        agent=found,
        resources=[each.id for each in known.data],
        modes=MODES,
        max_references=MAX_REFERENCES,
    )


@router.post("/{agent_id}", response_model=None)
async def change_agent(visit: TheVisit, agent_id: str) -> Response:
    """Change it at the version that the form was made from."""
    form = visit.form
    version = form.number("version", 1, MAX_VERSION)
    await agents.put_agent(
        visit.db,
        visit.caller,
        agent_id,
        name=form.text("name"),
        project_id=form.name("project_id"),
        memory=_references(form),
        if_match=None if version is None else [version],
    )
    return visit.go(f"/agents/{agent_id}", "saved")


def _references(form: Fields) -> list[dict[str, Any]]:
    """The rows of the form that name a resource, in their order."""
    found = []
    rows = zip(
        form.values.get("resource", []),
        form.values.get("key", []),
        form.values.get("mode", []),
        strict=False,
    )
    for resource_id, key, mode in rows:
        if not resource_id:
            continue
        if mode not in MODES or len(key) > MAX_KEY_CHARS:
            raise Invalid.field("memory", f"a mode is one of {', '.join(MODES)}, a key is short")
        found.append({"id": resource_id, "mode": mode} | ({"key": key} if key else {}))
    if len(found) > MAX_REFERENCES:
        raise Invalid.field("memory", f"has at most {MAX_REFERENCES} references")
    return found
