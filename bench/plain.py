"""Plain messages to an assistant (data/memchat/plain): what is learned of them, and what is not.

Short messages as people type them, each in a conversation of its own. `statements` say something worth remembering, `nothing` holds
what looks like it and is none, and each of the `pairs` is two messages of which the second changes the first, says the same, or
something beside it. `bench.extract` prints the figures.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from bench.changes import UNRELATED
from bench.memchat import DATA, Applied, Learner, Share, Turn

FOLDER = DATA / "plain"

STATED = "statements: learned"
NOTHING = "nothing: kept all the same"
CHANGED = "changed: new one held, old one not"
BOTH = "changed, where both were learned"
SAME = "said again: no more rows held"
SAME_BOTH = "said again, where both were learned"
OTHER = "beside it: the first left alone"


@dataclass(frozen=True)
class Said:
    """One message; `word` stands in what is kept of it, where that is known."""

    text: str
    aside: bool
    word: str = ""


@dataclass(frozen=True)
class Pair:
    """Two messages: `kind` is change, same or other."""

    kind: str
    before: str
    before_word: str
    now: str
    now_word: str
    aside: bool


def read_statements() -> list[Said]:
    """Messages that state something worth remembering."""
    return [
        Said(each["text"], each["aside"], each.get("word", ""))
        for each in json.loads((FOLDER / "statements.json").read_text())
    ]


def read_nothing() -> list[Said]:
    """Messages of which nothing is to be kept."""
    return [
        Said(each["text"], each["aside"])
        for each in json.loads((FOLDER / "nothing.json").read_text())
    ]


def read_pairs() -> list[Pair]:
    """The pairs."""
    return [
        Pair(each["kind"], each["before"], each["before_word"], each["now"], each["now_word"], each["aside"])
        for each in json.loads((FOLDER / "pairs.json").read_text())
    ]  # fmt: skip


def measure_plain(make: Callable[[], Learner]) -> dict[str, dict[str, Share]]:
    """The figures, for what is set aside and for the rest."""
    shares: dict[str, dict[str, Share]] = {}

    def add(name: str, good: bool, *, aside: bool) -> None:
        part = shares.setdefault("set aside" if aside else "tuned on", {})
        part.setdefault(name, Share()).add(good)

    for said in read_statements():
        add(STATED, bool(_of(_single(make(), said.text), said.word)), aside=said.aside)
    for said in read_nothing():
        add(NOTHING, bool(_single(make(), said.text)), aside=said.aside)
    for pair in read_pairs():
        _measure(pair, make(), partial(add, aside=pair.aside))
    return shares


def _single(learner: Learner, text: str) -> list[Applied]:
    learner.settle([_turn("said", text, 12)])
    return learner.applied


def _of(applied: list[Applied], word: str) -> set[str]:
    """The rows that were written or confirmed, of these that hold a word."""
    return {each.row for each in applied if word in f"{each.text} {each.row}".lower()}


def sessions_of(pair: Pair) -> list[list[Turn]]:
    """The conversation of a pair, among eight unrelated facts; its messages are the turns `before` and `now`, two weeks apart."""
    return [
        [_turn(f"unrelated:{number}", text, 5) for number, text in enumerate(UNRELATED)],
        [_turn("before", pair.before, 12)],
        [_turn("now", pair.now, 26)],
    ]


def _measure(pair: Pair, learner: Learner, add: Callable[[str, bool], None]) -> None:
    *earlier, last = sessions_of(pair)
    for turns in earlier:
        learner.settle(turns)
    first = learner.current()
    learner.settle(last)
    current = learner.current()
    old = {each.row for each in learner.applied if "before" in each.turns}
    new = {each.row for each in learner.applied if "now" in each.turns}
    match pair.kind:
        case "change":
            told = bool(new & current) and not (old and old <= current)
            add(CHANGED, told)
            if old and new:
                add(BOTH, told)
        case "same":
            add(SAME, len(current) <= len(first))
            if old and new:
                add(SAME_BOTH, len(current) <= len(first))
        case _:
            add(OTHER, old <= current)


def _turn(id: str, text: str, day: int) -> Turn:
    return Turn(id, "user", None, text, datetime(2026, 1, day, tzinfo=UTC))
