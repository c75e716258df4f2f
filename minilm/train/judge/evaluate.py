"""How well a judge finds what a statement replaces: anything with the `compare` of `Judge`."""

from collections.abc import Sequence
from typing import Protocol

from holdfast_minilm.judge import Pair, Verdict
from train.judge.histories import History

AT_ODDS = 0.5


class Comparer(Protocol):
    """Gives a verdict for each pair."""

    def compare(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """In their order."""


Figures = dict[str, dict[str, float]]


def measure(judge: Comparer, histories: Sequence[History]) -> Figures:
    """By source: of the statements that replace something, the share of those whose likeliest
    earlier one is right (`found`), and likely enough (`told`); of the others, the share of those
    that would replace one (`false`).
    """
    counts: dict[str, dict[str, int]] = {}
    for history in histories:
        found = counts.setdefault(
            history.source, dict.fromkeys(("of", "found", "told", "others", "false"), 0)
        )
        for place, now in enumerate(history.statements):
            held = history.held_before(place)
            if not now.is_asked or not held:
                continue
            pairs = [Pair(now.text, now.before, history.statements[at].text) for at in held]
            odds = [each.replaces for each in judge.compare(pairs)]
            best = max(range(len(held)), key=odds.__getitem__)
            is_told = odds[best] >= AT_ODDS
            if any(at in now.replaces for at in held):
                is_right = held[best] in now.replaces
                found["of"] += 1
                found["found"] += is_right
                found["told"] += is_right and is_told
            else:
                found["others"] += 1
                found["false"] += is_told
    return {source: _shares(each) for source, each in counts.items()}


def _shares(counts: dict[str, int]) -> dict[str, float]:
    def share(part: str, whole: str) -> float:
        return round(counts[part] / counts[whole], 3) if counts[whole] else 0.0

    return {
        "changes": counts["of"],
        "found": share("found", "of"),
        "told": share("told", "of"),
        "others": counts["others"],
        "false": share("false", "others"),
    }
