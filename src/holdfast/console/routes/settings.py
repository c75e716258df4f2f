"""The settings of the org."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from holdfast.console.fields import Fields
from holdfast.console.visit import PageRoute, TheVisit
from holdfast.directory import orgs, workspaces
from holdfast.kernel.limits import at_most, at_most_chars
from holdfast.kernel.pages import Cursor
from holdfast.kernel.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS
from holdfast.kernel.recall.fusion import DEFAULTS
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=PageRoute, prefix="/settings", include_in_schema=False)

MAX_TOKENS_A_DAY = 10**15
# What each part of a score stands for, for the person who sets its weight.
WEIGHTS = {
    "lexical": "words of the query",
    "semantic": "close in meaning",
    "session": "its session fits",
    "temporal": "the time fits",
    "actor": "who said it",
    "spoken_by_user": "said by the user",
    "preference": "states a preference, for a suggestion",
    "recency": "recent",
    "importance": "important",
    "pinned": "pinned",
    "close_reading": "read closely",
}


@router.get("", response_model=None)
async def settings(visit: TheVisit) -> Response:
    """What is set; who administers the org may change it."""
    org = await orgs.read_org(visit.db, visit.caller)
    known = await workspaces.list_workspaces(visit.db, visit.caller, Cursor(100))
    return visit.page(
        "org/settings.html",
        org=org,
        workspaces=known.data,
        weights={name: (default, WEIGHTS[name]) for name, default in asdict(DEFAULTS).items()},
    )


@router.post("", response_model=None)
async def change_settings(visit: TheVisit) -> Response:
    """Change them at the version that the form was made from."""
    version = visit.form.number("version", 1, MAX_VERSION)
    await orgs.change_org(
        visit.db,
        visit.caller,
        _changes(visit.form),
        if_match=None if version is None else [version],
    )
    return visit.go("/settings", "saved")


@router.post("/workspaces", response_model=None)
async def put_workspace(visit: TheVisit) -> Response:
    """Make a workspace, or name it."""
    form = visit.form
    await workspaces.put_workspace(
        visit.db, visit.caller, form.must("workspace_id"), form.text("name")
    )
    return visit.go("/settings", "saved")


def _changes(form: Fields) -> dict[str, Any]:
    return {
        "name": form.must("name"),
        "workspaces_enabled": form.flag("workspaces_enabled"),
        "review_extractions": form.flag("review_extractions"),
        "llm_tokens_per_day": form.number("llm_tokens_per_day", 0, MAX_TOKENS_A_DAY),
        "language": form.must("language"),
        "redact_patterns": _patterns(form),
        "recall_weights": _weights(form),
    }


def _patterns(form: Fields) -> list[str]:
    """A pattern in each line."""
    found = [line.strip() for line in form.raw("redact_patterns").split("\n") if line.strip()]
    at_most(len(found), MAX_PATTERNS, what="patterns")
    for pattern in found:
        at_most_chars(pattern, MAX_PATTERN_CHARS, what="a pattern")
    return found


def _weights(form: Fields) -> dict[str, float] | None:
    """The weights that are filled in; None, which means the defaults, where none is."""
    given = {name: form.share(f"weight_{name}") for name in WEIGHTS}
    return {name: weight for name, weight in given.items() if weight is not None} or None
