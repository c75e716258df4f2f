"""Fits the weights of `holdfast.learning.meaning`: `python -m bench.fit_changes`.

Replays the tuning spaces of data/memchat and the tuning parts of changes.json and plain/pairs.json without ending anything, takes the signs of every pair
of statements, and fits a logistic regression (ridge, Newton's method) to the pairs that the gold facts call a change. Prints the
weights as they stand in `meaning.WEIGHTS`.
"""

import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from bench import plain
from bench.changes import read_forms, sessions_of
from bench.extract import chance_of, make_message, vectors_of
from bench.memchat import CHECK, Space, read_spaces
from holdfast.learning.compare import signs
from holdfast.learning.meaning import WEIGHTS
from holdfast.learning.model import CONTEXT_MESSAGES, Candidate, KnownFact, Message, Speaker
from holdfast.learning.rules import extract, to_weigh

RIDGE = 30.0
STEPS = 40

Pair = tuple[dict[str, float], bool]


def pairs_of(
    sessions: list[list[Message]], speaker: Speaker, gold: set[tuple[str, str]]
) -> Iterator[Pair]:
    """The signs of every pair of statements of one conversation, and whether the later replaces the earlier (turn by turn)."""
    said: list[Message] = []
    known: list[tuple[KnownFact, str]] = []
    for messages in sessions:
        context = said[-CONTEXT_MESSAGES:]
        chances = {each: chance_of(each) for each in to_weigh(messages, context)}
        found = extract(messages, context=context, speaker=speaker, chances=chances)
        said += messages
        for candidate in (each for each in found.candidates if not each.quarantined):
            turn = candidate.sources[0].message_id
            others = [fact for fact, of in known if of != turn]
            turns = {fact.id: of for fact, of in known}
            for fact, each in signs(candidate, others, vectors_of(candidate, others)):
                yield each, (turns[fact.id], turn) in gold
            known.append((_known(candidate, len(known)), turn))


def _known(candidate: Candidate, number: int) -> KnownFact:
    return KnownFact(
        f"row-{number}", candidate.text, candidate.subject, candidate.attribute, candidate.value,
        candidate.sources[0].quote, candidate.valid_from,
    )  # fmt: skip


def _gold(space: Space) -> set[tuple[str, str]]:
    return {
        (fact["supersedes"], turn)
        for fact in space.raw["facts"]
        if fact["supersedes"]
        for turn in fact["evidence"]
    }


def tuning_pairs() -> Iterator[Pair]:
    """Of the tuning spaces, and of the forms of change and the plain pairs that are not set aside."""
    for space in read_spaces():
        if space.name not in CHECK:
            for user in space.users:
                sessions = [
                    [make_message(each) for each in turns] for turns in space.sessions(user)
                ]
                yield from pairs_of(
                    sessions, Speaker(None if user == "user" else user), _gold(space)
                )
    for form in read_forms():
        if not form.aside:
            sessions = [[make_message(each) for each in turns] for turns in sessions_of(form)]
            gold = {("before", "now")} if form.is_change else set()
            yield from pairs_of(sessions, Speaker(), gold)
    for pair in plain.read_pairs():
        if not pair.aside:
            sessions = [[make_message(each) for each in turns] for turns in plain.sessions_of(pair)]
            gold = {("before", "now")} if pair.kind == "change" else set()
            yield from pairs_of(sessions, Speaker(), gold)


def fit(
    signs_: npt.NDArray[np.float64],
    is_so: npt.NDArray[np.float64],
    *,
    ridge: float = RIDGE,
    counts: npt.NDArray[np.float64] | float = 1.0,
) -> npt.NDArray[np.float64]:
    """Weights of each sign, and last the base; the penalty counts in units of each sign's spread, a row as often as `counts` says."""
    mean, spread = signs_.mean(0), signs_.std(0)
    spread[spread < 1e-6] = np.inf  # what is the same everywhere says nothing
    design = np.hstack([(signs_ - mean) / spread, np.ones((len(signs_), 1))])
    penalty = np.diag([ridge] * signs_.shape[1] + [0.0])
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (counts * (chance - is_so)) + penalty @ weights
        curve = (design * (counts * chance * (1 - chance))[:, None]).T @ design + penalty
        weights -= np.linalg.solve(curve, slope)
    by_sign = weights[:-1] / spread
    return np.append(by_sign, weights[-1] - by_sign @ mean)


def main() -> int:
    """Fit and print."""
    pairs = list(tuning_pairs())
    weights = fit(
        np.array([[each[name] for name in WEIGHTS] for each, _ in pairs]),
        np.array([float(is_change) for _, is_change in pairs]),
    )
    print(f"{len(pairs)} pairs, {sum(is_change for _, is_change in pairs)} of them a change")
    for name, weight in zip([*WEIGHTS, "BASE"], weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    return 0


if __name__ == "__main__":
    sys.exit(main())
