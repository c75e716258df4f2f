"""What goes where: the place in memory that a candidate belongs to, given the user, agent and project of its session."""

import hashlib
from dataclasses import replace

from holdfast.kernel.caller import Caller
from holdfast.learning.model import Candidate
from holdfast.learning.proposal import Draft, draft_of
from holdfast.learning.rules.text import compile_rule

MAX_SLUG_CHARS = 60
_NOT_WORDS = compile_rule(r"[^a-z0-9]+")
_TOGETHER = compile_rule(r"\b(?:we|our|us|the project|the team)\b")


def route(candidate: Candidate, caller: Caller) -> Draft:
    """The proposal to add a candidate, with the place where it would stand.

    Without a user everything is the agent's own; what is meant for an agent goes to the user's where there is no agent.
    """
    draft = draft_of(candidate)
    target = candidate.target
    if caller.user_id is None:
        return _memory(draft, caller)
    if target == "agent_entry" and caller.agent_id is not None:
        return replace(draft, target="entry", scope="user", key=_key(draft))
    if target in ("user_core", "agent_core", "agent_entry"):
        own = target != "user_core" and caller.agent_id is not None
        return replace(
            draft,
            target="block",
            block_type="core",
            scope="agent" if own else "user",
            content=as_line(draft.content),
        )
    if target == "node_item" and candidate.related is not None:
        return replace(draft, target="node_item", scope="user", key=node_name(draft))
    return _memory(draft, caller)


def retarget(draft: Draft, target: str, caller: Caller) -> Draft:
    """The same content for another place, as a person who edits a proposal asks for it."""
    if target == "block":
        scope = draft.scope if draft.scope in ("user", "agent") else "user"
        line = as_line(draft.content)
        return replace(
            draft, target="block", block_type="core", scope=scope, key=None, content=line
        )
    plain = replace(draft, block_type=None)
    if target == "entry":
        return replace(plain, target="entry", scope="user", key=_key(draft))
    if target == "node_item":
        return replace(plain, target="node_item", scope="user", key=node_name(draft))
    return _memory(plain, caller)


def _memory(draft: Draft, caller: Caller) -> Draft:
    scope = "global" if caller.user_id is not None else "agent"
    if caller.project_id is not None and caller.user_id is not None and _of_project(draft):
        scope = "project"
    return replace(draft, target="memory", scope=scope, key=_key(draft))


def _of_project(draft: Draft) -> bool:
    """Decisions and plans that are made together are the project's; what the user says of itself stays the user's."""
    if draft.subject == "user" and draft.attribute:
        return False
    together = any(_TOGETHER.search(each.quote) for each in draft.cited)
    return draft.kind == "decision" or (draft.kind in ("plan", "fact", "event") and together)


def as_line(text: str) -> str:
    """A text on one line, as a block keeps it."""
    return " ".join(text.split())


def node_name(draft: Draft) -> str:
    """The node that an item is about: the subject where it is named, else the other end of the relation."""
    other = draft.related[1] if draft.related else draft.value or draft.subject
    if draft.subject in ("", "user"):
        return other or "user"
    return display_name(draft.subject, draft.content)


def display_name(subject: str, text: str) -> str:
    """A normalised subject as the text writes it."""
    words = subject.replace("_", " ")
    at = text.lower().find(words.lower())
    return text[at : at + len(words)] if at >= 0 else words.title()


def _key(draft: Draft) -> str:
    """A key that no person would choose: words, and a digest of the text and its source."""
    slot = f"{draft.subject} {draft.attribute}" if draft.attribute else draft.content
    slug = _NOT_WORDS.sub("-", slot.lower()).strip("-")[:MAX_SLUG_CHARS].strip("-") or draft.kind
    cited = "".join(f"\0{each.message_id}\0{each.quote}" for each in draft.cited)
    digest = hashlib.sha256(f"{draft.content}{cited}".encode(errors="replace")).hexdigest()
    return f"{slug}-{digest[:8]}"
