"""What is held that a candidate says again or replaces: as the extractor named it, else by comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.learning.compare import compare
from holdfast.learning.facts import Held
from holdfast.learning.judge import Verdicts
from holdfast.learning.known import Knowledge
from holdfast.learning.meaning import Vector
from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.proposal import Draft

RESTATED = "and named the fact that says the same"
REPLACED = "and named what it replaces"


@dataclass(frozen=True, slots=True)
class Decision:
    """What says the same, and what holds no longer. With neither, a candidate is new."""

    same: Held | None = None
    replaced: tuple[Held, ...] = ()
    is_named: bool = False

    def reason(self, given: str) -> str:
        """The reason of the proposal: that of its candidate, and that the extractor named a fact."""
        if not self.is_named:
            return given
        return f"{given}, {RESTATED if self.same is not None and not self.replaced else REPLACED}"


def by_comparison(
    candidate: Candidate,
    held: Sequence[Held],
    vectors: Mapping[str, Vector],
    verdicts: Verdicts,
) -> Decision:
    """By slots, words and meaning."""
    comparison = compare(candidate, [each.known for each in held], vectors, verdicts)
    by_id = {each.known.id: each for each in held}
    if comparison.fact_id is None or comparison.outcome == "add":
        return Decision()
    found = by_id[comparison.fact_id]
    if comparison.outcome == "same":
        return Decision(same=found)
    return Decision(replaced=(found, *(by_id[each] for each in comparison.further)))


async def by_name(
    candidate: Candidate, draft: Draft, shown: Mapping[str, Held], knowledge: Knowledge
) -> Decision | None:
    """By the facts that the extractor named, as far as they still say what it was shown; None where none does.

    A fact that is to be a restatement of one that has changed since is left to comparison altogether.
    """
    same = None
    if candidate.restates is not None:
        same = await _standing(candidate.restates, shown, knowledge)
        if same is None:
            return None
    found = [await _standing(each, shown, knowledge) for each in candidate.replaces]
    replaced = _others([each for each in found if each is not None], same)
    if same is None and replaced:
        same = await knowledge.saying(draft)  # in the very words: not a second time
        replaced = _others(replaced, same)
    if same is None and not replaced:
        return None
    return Decision(same, tuple(replaced), is_named=True)


def _others(held: Sequence[Held], same: Held | None) -> list[Held]:
    return [each for each in held if same is None or each.known.id != same.known.id]


async def _standing(name: str, shown: Mapping[str, Held], knowledge: Knowledge) -> Held | None:
    was = shown.get(name)
    return None if was is None else await knowledge.standing(was)


def restates(candidate: Candidate, texts: Sequence[KnownFact]) -> bool:
    """Whether a candidate says the same as one of these texts; a change of it is no restatement."""
    return bool(texts) and compare(candidate, texts).outcome == "same"
