"""Replays the conversations of data/memchat to a learner, and scores it as the README there defines.

The learner is a protocol: `bench/extract.py` has one that runs in this process; one that uses the API can replace it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from holdfast.learning.rules.lexicon import word_list

DATA = Path(__file__).parents[1] / "data" / "memchat"

CHECK = frozenset(
    word_list(
        "assistant-09 assistant-11 assistant-12 friends-09 friends-11 friends-12 longchat-08 longchat-09 messy-07 messy-08 messy-09"
        " teams-07 teams-08 teams-09"
    )
)
"""Spaces that no rule and no weight was made from: figures are printed for the others and for these apart."""


@dataclass(frozen=True)
class Turn:
    """One message, as it is given to a learner."""

    id: str
    role: str
    name: str | None
    content: str
    created_at: datetime


@dataclass(frozen=True)
class Applied:
    """A proposal that was applied: the turns it cites, and the row it wrote or confirmed."""

    action: str
    turns: frozenset[str]
    row: str
    rule: str
    text: str


class Learner(Protocol):
    """Learns from one user's conversation."""

    def settle(self, turns: list[Turn]) -> None:
        """Learn from the turns of one session; earlier sessions have been settled."""

    def settle_again(self) -> int:
        """Learn from the whole conversation again; returns how many rows that added."""

    @property
    def applied(self) -> list[Applied]:
        """The proposals applied so far, in order."""

    def hygiene(self) -> dict[str, int]:
        """What is wrong with the rows that still hold: duplicates, contradictions, rows without a source."""

    def current(self) -> set[str]:
        """The rows that are not superseded."""


@dataclass(frozen=True)
class Space:
    """One space of the data set."""

    raw: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name, such as friends-03."""
        return str(self.raw["name"])

    @property
    def kind(self) -> str:
        """assistant, longchat, friends, teams or messy."""
        return str(self.raw["kind"])

    @property
    def users(self) -> list[str]:
        """The users whose memories are built: the user, or every speaker."""
        return ["user"] if "user" in self.raw["speakers"] else list(self.raw["speakers"])

    @cached_property
    def speaker_of(self) -> dict[str, str]:
        """The speaker of each turn."""
        return {
            f"{session['id']}:{number}": turn["speaker"]
            for session in self.raw["sessions"]
            for number, turn in enumerate(session["turns"], 1)
        }

    @cached_property
    def text_of(self) -> dict[str, str]:
        """The text of each turn."""
        return {
            f"{session['id']}:{number}": turn["text"]
            for session in self.raw["sessions"]
            for number, turn in enumerate(session["turns"], 1)
        }

    @cached_property
    def evidence(self) -> frozenset[str]:
        """Turns that at least one gold fact cites."""
        return frozenset(each for fact in self.raw["facts"] for each in fact["evidence"])

    @property
    def keepable(self) -> frozenset[str]:
        """Turns with a true fact that may be stored although no gold fact cites them."""
        return frozenset(self.raw.get("keepable", []))

    def sessions(self, user: str) -> Iterator[list[Turn]]:
        """The conversation from this user's view: own turns have the role user, others assistant, with names in a named space."""
        for session in self.raw["sessions"]:
            at = datetime.fromisoformat(session["date"]).replace(tzinfo=UTC)
            yield [
                Turn(
                    f"{session['id']}:{number}",
                    "user" if turn["speaker"] == user else "assistant",
                    None if turn["speaker"] in ("user", "assistant") else turn["speaker"],
                    turn["text"],
                    at,
                )
                for number, turn in enumerate(session["turns"], 1)
            ]


def read_spaces(folder: Path = DATA) -> list[Space]:
    """All spaces of the set, by name."""
    return [
        Space(json.loads(path.read_text())) for path in sorted((folder / "spaces").glob("*.json"))
    ]


@dataclass
class Share:
    """A count out of a total."""

    hits: int = 0
    of: int = 0

    def add(self, hit: bool) -> None:
        """Count one more."""
        self.hits += hit
        self.of += 1

    @property
    def value(self) -> float:
        """The share; 0 if the total is 0."""
        return self.hits / self.of if self.of else 0.0


@dataclass
class Figures:
    """The figures of a run."""

    shares: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    by_kind: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    changed_by_kind: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    by_space: dict[tuple[str, str], Share] = field(default_factory=lambda: defaultdict(Share))
    by_rule: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    rows_added_again: int = 0
    hygiene: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, space: Space, hit: bool) -> None:
        """Count in the total and for the kind of space."""
        self.shares[name].add(hit)
        self.by_space[space.kind, name].add(hit)


def merged(parts: list[Figures]) -> Figures:
    """The figures of several runs, added up."""
    whole = Figures()
    for part in parts:
        for name, share in part.shares.items():
            whole.shares[name].hits += share.hits
            whole.shares[name].of += share.of
        whole.rows_added_again += part.rows_added_again
        whole.hygiene.update(part.hygiene)
    return whole


def score(figures: Figures, space: Space, user: str, learner: Learner) -> None:
    """Add one user's conversation, after it was settled."""
    _precision(figures, space, learner)
    _recall(figures, space, user, learner)
    _traps(figures, space, user, learner)
    _supersession(figures, space, user, learner)
    figures.hygiene.update(learner.hygiene())
    figures.rows_added_again += learner.settle_again()


def replay(space: Space, user: str, learner: Learner) -> None:
    """Append and settle session by session."""
    for turns in space.sessions(user):
        learner.settle(turns)


def run(spaces: list[Space], make: Callable[[Space, str], Learner]) -> Figures:
    """Replay and score every user of every space."""
    figures = Figures()
    for space in spaces:
        for user in space.users:
            learner = make(space, user)
            replay(space, user, learner)
            score(figures, space, user, learner)
    return figures


def _precision(figures: Figures, space: Space, learner: Learner) -> None:
    for each in learner.applied:
        hit = bool(each.turns & space.evidence)
        figures.add("precision by gold alone", space, hit)
        figures.by_rule[each.rule].add(hit or bool(each.turns & space.keepable))
        if not hit and each.turns <= space.keepable:
            continue
        figures.add("precision", space, hit)
        if not hit:
            figures.failures["kept without a gold fact"].append(
                f"{space.name} {sorted(each.turns)} {each.rule}: {each.text}"
            )


def _recall(figures: Figures, space: Space, user: str, learner: Learner) -> None:
    cited = _cited(learner)
    for fact in space.raw["facts"]:
        stated = any(space.speaker_of[each] == user for each in fact["evidence"])
        found = bool(cited & set(fact["evidence"]))
        if fact["about"] == user:
            figures.add("recall, about the user", space, found)
        if stated:
            figures.add("recall, stated by the user", space, found)
            figures.by_kind[fact["kind"]].add(found)
            if not found:
                figures.failures["gold fact not found"].append(
                    f"{space.name} {fact['evidence']} {fact['kind']}: {fact['fact']}"
                )


def _traps(figures: Figures, space: Space, user: str, learner: Learner) -> None:
    for trap in space.raw["traps"]:
        turn = trap["evidence"]
        if space.speaker_of[turn] != user:
            continue
        kept = any(
            turn in each.turns and not each.turns & space.evidence for each in learner.applied
        )
        figures.add("traps kept", space, kept)
        if kept:
            figures.failures["trap kept"].append(
                f"{space.name} {turn} {trap['why']}: {space.text_of[turn]}"
            )


def _supersession(figures: Figures, space: Space, user: str, learner: Learner) -> None:
    current = learner.current()
    for fact in space.raw["facts"]:
        old = fact["supersedes"]
        own = [each for each in fact["evidence"] if space.speaker_of[each] == user]
        if not old or not own or space.speaker_of[old] != user:
            continue
        old_rows = {each.row for each in learner.applied if old in each.turns}
        new_rows = {each.row for each in learner.applied if each.turns & set(own)}
        learned, gone = bool(new_rows & current), not old_rows <= current or not old_rows
        figures.add("changed facts: new one held, old one not", space, learned and gone)
        figures.changed_by_kind[fact["kind"]].add(learned and gone)
        if old_rows and new_rows:
            figures.add("changed facts, where both were learned", space, learned and gone)
            if not gone:
                figures.failures["old fact still held"].append(
                    f"{space.name} {old} -> {fact['evidence']}: {space.text_of[old]!r} -> {space.text_of[own[0]]!r}"
                )
    _false_supersession(figures, space, learner)


def _false_supersession(figures: Figures, space: Space, learner: Learner) -> None:
    """How many of the superseded rows no gold fact calls superseded: facts that were lost."""
    meant = {fact["supersedes"] for fact in space.raw["facts"] if fact["supersedes"]}
    gold_old = {
        each
        for fact in space.raw["facts"]
        if meant & set(fact["evidence"])
        for each in fact["evidence"]
    } | meant
    current = learner.current()
    for each in learner.applied:
        if each.action == "add" and each.turns & space.evidence:
            lost = each.row not in current and not each.turns & gold_old
            figures.add("gold facts lost to a false change", space, lost)
            if lost:
                figures.failures["lost to a false change"].append(
                    f"{space.name} {sorted(each.turns)}: {each.text}"
                )


def _cited(learner: Learner) -> set[str]:
    return {turn for each in learner.applied for turn in each.turns}
