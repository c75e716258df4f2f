"""What recall speaks of: documents that go in, questions that are asked, passages that come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Mode = Literal["hybrid", "lexical", "semantic"]
Kind = Literal["block_line", "entry", "memory", "node_item", "store_entry", "summary", "flushed"]
Arm = Literal["lexical", "semantic", "graph"]
Reason = Literal[
    "expired", "superseded", "no_match", "below_floor", "crowded_out", "not_embedded", "not_found"
]

# What a recall looks through that names no kinds. Flushed messages are found only where they are asked for.
KINDS: tuple[Kind, ...] = ("block_line", "entry", "memory", "node_item", "store_entry", "summary")
DEFAULT_IMPORTANCE = 5
MAX_QUERY_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An object as recall indexes it. What it says is not kept, only found by.

    `scope` is who may see it in one word, chosen by the face ('memory/user:ana'): a caller is shown what lies in the
    scopes it may see. `actor` is who said it, `at` when it was so, `until` when it stops being shown.
    """

    kind: Kind
    object_id: str
    scope: str
    body: str
    updated_at: datetime
    at: datetime
    head: str = ""  # a key, name or path
    summary: str = ""
    about: str = ""  # category and tags
    workspace_id: str | None = None
    session_id: str | None = None
    actor: str | None = None
    before: str = ""  # what was said just before it in its session, with the speaker's name; not found by, only read along
    labels: tuple[str, ...] = ()
    until: datetime | None = None
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to recall, and for whom: the scopes a caller may see, of these kinds."""

    text: str
    scopes: tuple[str, ...]
    kinds: tuple[Kind, ...]
    now: datetime
    mode: Mode = "hybrid"
    workspace_id: str | None = None  # only what lies there; None where the org does not part them
    labels: tuple[str, ...] = ()  # only what carries all of these
    limit: int = 10


class Candidate(NamedTuple):
    """A passage that may be meant, with what speaks for it. A tuple: hundreds are made for each question."""

    kind: Kind
    object_id: str
    starts: int
    ends: int
    session_id: str | None
    actor: str | None
    at: datetime
    updated_s: float  # seconds since 1970: it is only compared and subtracted
    importance: int
    pinned: bool
    lexical: float  # BM25, from 0 up
    rank: float  # ts_rank_cd
    similarity: float | None  # cosine; None where it has no vector, or none was asked for
    terms: list[str]
    whole: bool  # one of the terms is a word of the query, not one that is only spelled like it
    embedded: bool
    tokens: bytes | None = None  # for close reading
    scope_size: float = 0.0  # how many passages there are in the scopes that were searched
    preference: bool = False  # it states what somebody likes, and the query asks for a suggestion


class Hit(NamedTuple):
    """An object that was found, by its best passage. The parts sum to the score."""

    kind: Kind
    object_id: str
    score: float
    parts: Mapping[str, float]
    arms: tuple[Arm, ...]
    terms: tuple[str, ...]
    starts: int
    ends: int

    def passage_of(self, content: str) -> str:
        """The best passage, out of the object's content."""
        return content[self.starts : self.ends]


@dataclass(frozen=True, slots=True)
class Miss:
    """Why an object that was asked about is not among the results."""

    id: str
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Found:
    """All that a question brought up, best first: `hits` may be shown, `faint` are too weak to be."""

    hits: Sequence[Hit]
    faint: Sequence[Hit] = ()
    semantic: bool = False  # whether meaning was compared at all
