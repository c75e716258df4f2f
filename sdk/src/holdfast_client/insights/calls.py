"""The operations on insights."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from holdfast_client.calls import Call, Query, Reply, at, delete, get, one, page_of, post
from holdfast_client.insights.model import Insight, NotStored, StoredInsight, Wiped
from holdfast_client.scope import Scope
from holdfast_client.values import Page, given


def save_insight(
    scope: Scope,
    insight: str,
    *,
    category: str = "general",
    source: str = "conversation",
    confidence: float = 1.0,
    metadata: Mapping[str, Any] | None = None,
) -> Call[StoredInsight | NotStored]:
    """Store an insight about the user; returns NotStored if the user has turned capture off."""
    body = given(
        insight=insight,
        category=category,
        source=source,
        confidence=confidence,
        metadata=metadata or {},
    )
    return post(scope, "/insights", _kept_or_not, body)


def list_insights(
    scope: Scope,
    *,
    category: str | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Insight]]:
    """The user's insights, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/insights", page_of(Insight), {**page, "category": category})


def read_insight(scope: Scope, insight_id: str) -> Call[Insight]:
    """One insight about the user."""
    return get(scope, at("insights", insight_id), one(Insight))


def delete_insight(scope: Scope, insight_id: str) -> Call[None]:
    """Erase one insight."""
    return delete(scope, at("insights", insight_id), repeatable=True)


def wipe_insights(scope: Scope, *, category: str | None = None) -> Call[Wiped]:
    """Erase all of the user's insights, or those of a category."""
    query: Query = {"category": category}
    return Call("DELETE", "/insights", one(Wiped), query, headers=scope.headers)


def _kept_or_not(reply: Reply) -> StoredInsight | NotStored:
    if reply.status == HTTPStatus.CREATED:
        return one(StoredInsight)(reply)
    return one(NotStored)(reply)
