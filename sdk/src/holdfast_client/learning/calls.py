"""The operations of learning: sessions, proposals, extraction on demand, undoing a job."""

from collections.abc import Sequence
from typing import Any

from holdfast_client.calls import Call, Query, at, get, one, page_of, patch, post
from holdfast_client.conversations.model import AppendResult
from holdfast_client.learning.model import (
    Accepted,
    Action,
    Consolidation,
    ConsolidationKind,
    Extraction,
    Hygiene,
    Proposal,
    ProposalStatus,
    ProposalTarget,
    Reverted,
    Settling,
)
from holdfast_client.scope import Scope
from holdfast_client.values import UNSET, Page, Unset, given, to_json

Said = str | dict[str, Any]


def append_messages(
    scope: Scope,
    messages: Said | Sequence[Said],
    *,
    session_id: str | None = None,
    agent_id: str | None = None,
    project_id: str | None = None,
) -> Call[AppendResult]:
    """Append up to 100 messages to a session: the given one, else the client's. It is learned from once it rests."""
    body = {
        "messages": to_json(messages),
        "agent_id": agent_id or scope.agent,
        "project_id": project_id or scope.project,
    }
    named = {name: value for name, value in body.items() if value is not None}
    path = at("sessions", scope.must_session(session_id), "messages")
    return post(scope, path, one(AppendResult), named)


def settle_session(
    scope: Scope, session_id: str | None = None, *, dry_run: bool = False
) -> Call[Settling]:
    """Learn from what is new in a session now, by a job; with `dry_run`, only the proposals."""
    path = at("sessions", scope.must_session(session_id), "settle")
    return post(scope, path, one(Settling), {"dry_run": dry_run}, repeatable=False)


def extract(
    scope: Scope,
    messages: Said | Sequence[Said],
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    dry_run: bool = False,
) -> Call[Extraction]:
    """Learn from messages that are sent along and not kept. Raises BackendUnavailable if the model fails."""
    body = {
        "messages": to_json(messages),
        "agent_id": agent_id or scope.agent,
        "session_id": session_id or scope.session,
        "dry_run": dry_run,
    }
    named = {name: value for name, value in body.items() if value is not None}
    return post(scope, "/memories/extract", one(Extraction), named, repeatable=False)


def revert_job(scope: Scope, job_id: str) -> Call[Reverted]:
    """Undo what a job wrote where nobody has changed it since."""
    return post(scope, at("jobs", job_id, "revert"), one(Reverted))


def list_proposals(
    scope: Scope,
    *,
    status: ProposalStatus | None = None,
    action: Action | None = None,
    job_id: str | None = None,
    session_id: str | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Proposal]]:
    """Proposals about the user's memory, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    wanted: Query = {
        "status": status,
        "action": action,
        "job_id": job_id,
        "session_id": session_id,
    }
    return get(scope, "/proposals", page_of(Proposal), {**page, **wanted})


def read_proposal(scope: Scope, proposal_id: str) -> Call[Proposal]:
    """One proposal."""
    return get(scope, at("proposals", proposal_id), one(Proposal))


def edit_proposal(
    scope: Scope,
    proposal_id: str,
    *,
    content: str | Unset = UNSET,
    target: ProposalTarget | Unset = UNSET,
    if_match: int | None = None,
) -> Call[Proposal]:
    """Change the text or the place of a proposal that is not decided; otherwise Conflict."""
    changes = given(content=content, target=target)
    return patch(
        scope,
        at("proposals", proposal_id),
        one(Proposal),
        changes,
        if_match=if_match,
        conflict_as=Proposal,
    )


def accept_proposal(
    scope: Scope, proposal_id: str, *, if_match: int | None = None
) -> Call[Proposal]:
    """Apply a proposal; Conflict, with the proposal as `current`, where it is decided already."""
    path = at("proposals", proposal_id, "accept")
    return post(scope, path, one(Proposal), if_match=if_match, conflict_as=Proposal)


def reject_proposal(
    scope: Scope, proposal_id: str, *, if_match: int | None = None
) -> Call[Proposal]:
    """Decide against a proposal; Conflict where it is decided already."""
    path = at("proposals", proposal_id, "reject")
    return post(scope, path, one(Proposal), if_match=if_match, conflict_as=Proposal)


def accept_proposals(scope: Scope, ids: Sequence[str]) -> Call[Accepted]:
    """Apply several proposals in one transaction, all or none."""
    body = {"ids": list(ids)}
    return post(scope, "/proposals/accept", one(Accepted), body, conflict_as=Proposal)


def consolidate(
    scope: Scope, *, dry_run: bool = True, kinds: Sequence[ConsolidationKind] | None = None
) -> Call[Consolidation]:
    """Propose what to merge, supersede, retire or move; with `dry_run=False` a job does it."""
    body: dict[str, Any] = {"dry_run": dry_run}
    if kinds is not None:
        body["kinds"] = list(kinds)
    return post(scope, "/consolidate", one(Consolidation), body, repeatable=False)


def hygiene(scope: Scope) -> Call[Hygiene]:
    """How clean the user's memory is, by kind of row."""
    return get(scope, "/hygiene", one(Hygiene))
