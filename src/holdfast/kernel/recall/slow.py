"""Recalls that took long are logged with what took how long and how much there was to look at; never with content."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import structlog

from holdfast.kernel import metrics
from holdfast.kernel.recall.model import Found, Question

log = structlog.get_logger("holdfast.recall")


@dataclass(frozen=True, slots=True)
class SlowRecalls:
    """From how many seconds on a recall is logged (HOLDFAST_SLOW_RECALL)."""

    after_s: float = 1.0


@dataclass(slots=True)
class Stopwatch:
    """The seconds of each step of one recall."""

    steps: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=perf_counter)

    def step(self, name: str) -> None:
        """A step ends here."""
        now = perf_counter()
        self.steps[name] = now - self._since
        self._since = now


def report(
    slow: SlowRecalls, watch: Stopwatch, question: Question, found: Found, shown: Sequence[object]
) -> None:
    """Log a recall if it was slow."""
    seconds = sum(watch.steps.values())
    if seconds < slow.after_s:
        return
    metrics.slow_recalls.inc()
    log.warning(
        "slow recall",
        seconds=round(seconds, 3),
        **{f"{name}_s": round(taken, 3) for name, taken in watch.steps.items()},
        mode=question.mode,
        kinds=list(question.kinds),
        scopes=len(question.scopes),
        query_characters=len(question.text),
        filtered=bool(question.labels),
        found=len(found.hits),
        too_weak=len(found.faint),
        shown=len(shown),
        meaning_compared=found.semantic,
    )
