"""The org itself: made, read, changed."""

from typing import Any

from psycopg.types.json import Jsonb

from holdfast.directory.model import (
    Org,
)
from holdfast.directory.rows import IfMatch, check_name
from holdfast.directory.workspaces import DEFAULT_WORKSPACE, write_workspace
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    FieldError,
    Invalid,
    NotFound,
    PreconditionFailed,
)
from holdfast.kernel.patterns import compile_pattern
from holdfast.kernel.recall.language import reword
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")


async def create_org(db: Database, caller: Caller, name: str) -> Org:
    """A new tenant (`caller.org_id` names it) with its default workspace."""
    check_name(name)
    async with db.begin(caller) as tx:
        org = await tx.one(Org, queries.create_org, name=name)
        if org is None:
            raise RuntimeError("the org was not returned")
        await tx.revise("org", org.id, version=1, action="created", state={"name": name})
        await write_workspace(tx, DEFAULT_WORKSPACE, None, None)
    return org


async def read_org(db: Database, caller: Caller) -> Org:
    """The caller's org."""
    org = await db.one(caller, Org, queries.read_org)
    if org is None:
        raise NotFound("this org is gone")
    return org


async def change_org(
    db: Database, caller: Caller, changes: dict[str, Any], *, if_match: IfMatch = None
) -> Org:
    """Change the settings that are named in `changes`."""
    caller.must_administer("changing the org")
    check_name(changes.get("name"))
    given: dict[str, Any] = dict.fromkeys(
        (
            "name",
            "workspaces_enabled",
            "review_extractions",
            "llm_tokens_per_day",
            "language",
            "redact_patterns",
        )
    )
    _check_patterns(changes.get("redact_patterns"))
    weights = changes.get("recall_weights")
    async with db.begin(caller) as tx:
        language = None
        if changes.get("language") is not None:
            language = await tx.one(dict, queries.language_asked_for, language=changes["language"])
        if language is not None and not language["known"]:
            raise Invalid.field("language", "is not a text search language of this database")
        org = await tx.one(
            Org,
            queries.change_org,
            **{**given, **changes, "recall_weights": None if weights is None else Jsonb(weights)},
            set_llm_tokens_per_day="llm_tokens_per_day" in changes,
            set_recall_weights="recall_weights" in changes,
            if_match=if_match,
        )
        if org is None:
            raise PreconditionFailed("the org changed since that ETag")
        if language is not None and language["differs"]:
            await reword(tx)
        await tx.revise("org", org.id, version=org.version, action="updated", state=changes)
    return org


def _check_patterns(patterns: list[str] | None) -> None:
    """Refuse patterns that cannot be used, all at once."""
    wrong: list[FieldError] = []
    for number, pattern in enumerate(patterns or []):
        try:
            compile_pattern(pattern)
        except ValueError as error:
            wrong.append(FieldError(f"redact_patterns.{number}", f"cannot be used: {error}"))
    if wrong:
        raise Invalid("redact_patterns: a pattern cannot be used", wrong)
