"""API keys: listed, minted and revoked."""

from fastapi import APIRouter, Response

from holdfast.access import keys
from holdfast.access.model import NewKey
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.kernel.errors import Malformed
from holdfast.kernel.key_cache import KeyKind
from holdfast.kernel.limits import at_most_chars

router = APIRouter(route_class=PageRoute, prefix="/keys", include_in_schema=False)

MAX_REQUESTS_PER_MINUTE = 1_000_000
KINDS: tuple[KeyKind, ...] = ("user", "agent", "service")


@router.get("", response_model=None)
async def list_keys(visit: TheVisit) -> Response:
    """Keys without their secrets, newest first: the org's for an owner, else one's own."""
    return await _page(visit, None)


@router.post("", response_model=None)
async def create_key(visit: TheVisit) -> Response:
    """Mint a key and show it, this once (needs step-up)."""
    form = visit.form
    kind = form.choice("kind", KINDS)
    if kind is None:
        raise Malformed.field("kind", f"is one of {', '.join(KINDS)}")
    at_most_chars(form.raw("name"), 255, what="the name")
    made = await keys.create_key(
        visit.db,
        visit.caller,
        kind,
        name=form.text("name"),
        user_id=form.name("user_id"),
        agent_id=form.name("agent_id"),
        workspace_id=form.name("workspace_id"),
        requests_per_minute=form.number("requests_per_minute", 1, MAX_REQUESTS_PER_MINUTE),
        expires_at=form.instant("expires_at"),
    )
    return await _page(visit, made)


@router.post("/{key_id}/revoke", response_model=None)
async def revoke_key(visit: TheVisit, key_id: str) -> Response:
    """Revoke a key, at once (needs step-up)."""
    await keys.revoke_key(visit.db, visit.caller, key_id)
    return visit.go("/keys", "revoked")


async def _page(visit: Visit, made: NewKey | None) -> Response:
    cursor = visit.cursor()
    page = await keys.list_keys(visit.db, visit.caller, cursor)
    kinds = KINDS if visit.caller.administers else KINDS[:1]
    return visit.page(
        "org/keys.html", keys=page.data, pages=visit.pager(page, cursor), kinds=kinds, made=made
    )
