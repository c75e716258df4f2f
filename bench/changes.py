"""Ways to say that something changed (data/memchat/changes.json): how many are learned and end the earlier statement.

Each form is one earlier statement, the question before the new one where there is one, and the new statement, five weeks later,
among eight unrelated facts. `bench.extract` prints the figures.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.memchat import DATA, Learner, Share, Turn

UNRELATED = (
    "My name is Rosa and I live in Leeds.",
    "I have two cats, Otto and Pim.",
    "My best friend Hanne restores violins in Halle.",
    "Our allotment is plot 22 and we pay 45 euros a year for it.",
    "I'm allergic to walnuts.",
    "My mother turns 70 in October.",
    "We booked Denmark for two weeks in August.",
    "I read 30 books last year.",
)


@dataclass(frozen=True)
class Form:
    """One form: `now` is said in answer to `asked`, where that is not empty."""

    before: str
    now: str
    is_change: bool
    asked: str = ""
    aside: bool = False


def read_forms() -> list[Form]:
    """All forms."""
    return [
        Form(each["before"], each["now"], each["is"] == "change", each.get("asked", ""), each.get("aside", False))
        for each in json.loads((DATA / "changes.json").read_text())
    ]  # fmt: skip


def sessions_of(form: Form) -> list[list[Turn]]:
    """The conversation of a form; the two statements are the turns `before` and `now`."""
    first, second, third = (datetime(2026, *day, tzinfo=UTC) for day in ((1, 5), (1, 12), (2, 20)))
    asked = [Turn("asked", "assistant", None, form.asked, third)] if form.asked else []
    return [
        [Turn(f"unrelated:{number}", "user", None, text, first) for number, text in enumerate(UNRELATED)],
        [Turn("before", "user", None, form.before, second)],
        [*asked, Turn("now", "user", None, form.now, third)],
    ]  # fmt: skip


def measure_forms(make: Callable[[], Learner]) -> dict[str, dict[str, Share]]:
    """Per part: changes told (new one held, old one not), and statements beside an earlier one that left it alone."""
    shares: dict[str, dict[str, Share]] = {}
    for form in read_forms():
        learner = make()
        for turns in sessions_of(form):
            learner.settle(turns)
        current = learner.current()
        old = {each.row for each in learner.applied if "before" in each.turns}
        new = {each.row for each in learner.applied if "now" in each.turns}
        part = shares.setdefault("set aside" if form.aside else "tuned on", {})
        if form.is_change:
            told = bool(new & current) and not (old and old <= current)
            part.setdefault("change: new one held, old one not", Share()).add(told)
        else:
            part.setdefault("other: old one left alone", Share()).add(old <= current)
    return shares
