"""The values of learning: messages in, candidates out, and what is already known to compare them with."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple

Kind = Literal[
    "identity", "preference", "fact", "relation", "event", "plan", "decision", "instruction"
]
Role = Literal["user", "assistant", "system", "tool"]
Trust = Literal["user", "assistant", "tool", "import"]
"""Whose words a candidate rests on: the lowest of its sources, in this order."""

Target = Literal["user_core", "agent_core", "agent_entry", "memory", "node_item"]
"""Where a candidate belongs: a line of the user's or the agent's `core` block, an entry of the agent, a memory, a node."""

Change = Literal["replaces", "ends"]
"""What a candidate says of an earlier fact: another value holds now, or the fact holds no longer."""

CONTEXT_MESSAGES = 10
"""How many messages before the new ones an extractor may read as context."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation, after privacy rules and the scan for secrets."""

    id: str
    role: Role
    content: str
    created_at: datetime
    name: str | None = None


class Said(NamedTuple):
    """The words of a message, and the end of what was said right before it."""

    text: str
    before: str


@dataclass(frozen=True)
class Speaker:
    """The user that candidates are about. Without a name, texts say "The user"."""

    name: str | None = None

    @property
    def label(self) -> str:
        """How a sentence begins that is about the user."""
        return self.name or "The user"


@dataclass(frozen=True)
class Source:
    """The words a candidate rests on: `quote` is a part of that message's content."""

    message_id: str
    quote: str


@dataclass(frozen=True)
class ResolvedDate:
    """A date as it was said ("last Friday") and as it was meant, against the time of its message."""

    said: str
    on: date


@dataclass(frozen=True)
class Candidate:
    """Something a memory could keep."""

    kind: Kind
    text: str
    """For a prompt: about the user in the third person, dates made absolute."""
    subject: str
    """Who or what it is about, normalised for comparison; "user" for the user."""
    attribute: str
    """The slot it fills, such as `name`, `lives_in` or `likes:coffee`; "" where no rule names one."""
    value: str
    target: Target
    confidence: float
    trust: Trust
    rule: str
    reason: str
    sources: tuple[Source, ...]
    valid_from: datetime
    dates: tuple[ResolvedDate, ...] = ()
    change: Change | None = None
    replaced_value: str | None = None
    """The old value, where a correction names it ("not X but Y")."""
    related: tuple[str, str] | None = None
    """For a node: the relation and the name at its other end."""
    context: str = ""
    """The end of the message before the one it was said in: what "it" and "there" may refer to."""
    message: str = ""
    """The end of the message it was said in: what the statement is about may stand in another sentence."""
    replaces: tuple[str, ...] = ()
    """Ids of known facts that hold no longer because of this one: named by an extractor that was shown them."""
    restates: str | None = None
    """Id of the known fact that says the same, named likewise."""
    only_as_change: bool = False
    """By itself it is not worth keeping: it is kept only if it replaces something."""
    quarantined: bool = False
    """An order about memory in a tool's or document's text: a person may accept it, a job never applies it."""


@dataclass(frozen=True)
class Extraction:
    """What an extractor made of some messages."""

    candidates: tuple[Candidate, ...]
    retracted: tuple[str, ...] = ()
    """Ids of messages that the user took back later: whatever rests on them alone no longer holds."""


@dataclass(frozen=True)
class KnownFact:
    """Something memory holds already, as far as comparing needs it."""

    id: str
    text: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    said: str = ""
    """The user's own words it rests on: compared by meaning, where given."""
    said_at: datetime | None = None
