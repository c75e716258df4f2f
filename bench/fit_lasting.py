"""Fits the weights of `holdfast.learning.rules.lasting`: `python -m bench.fit_lasting`.

Reads what people said to an assistant and whether a long-term memory would keep it: the plain messages of data/memchat/plain that are not
set aside (each counts twice), the assistant's conversations of the tuning spaces, and the episodes of the files a and b. Fits
a logistic regression to the cues and the model's vector, and writes lasting.json.
"""

import base64
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
from holdfast_minilm import MiniLM

from bench.changes import read_forms
from bench.episodes import SET_ASIDE, read_episodes
from bench.fit_changes import fit
from bench.memchat import CHECK, read_spaces
from bench.plain import read_nothing, read_pairs, read_statements
from holdfast.kernel.embedding_models import LocalModel
from holdfast.learning.meaning import without_request
from holdfast.learning.model import Message
from holdfast.learning.rules import lasting
from holdfast.learning.rules.families import SHAPES, SLOTS
from holdfast.learning.rules.reading import read

RIDGE = 100.0
PLAIN_COUNTS = 2.0
AT = datetime(2026, 3, 10, tzinfo=UTC)


@dataclass(frozen=True)
class Example:
    """A user's message, what was said before it, and whether it is to be kept."""

    text: str
    before: str
    keep: bool
    counts: float = 1.0


def plain_examples(*, aside: bool = False) -> Iterator[Example]:
    """The plain messages: those that are set aside, or the others."""
    for said in read_statements():
        if said.aside == aside:
            yield Example(said.text, "", True, PLAIN_COUNTS)
    for said in read_nothing():
        if said.aside == aside:
            yield Example(said.text, "", False, PLAIN_COUNTS)
    for pair in read_pairs():
        if pair.aside == aside:
            yield Example(pair.before, "", True, PLAIN_COUNTS)
            yield Example(pair.now, "", True, PLAIN_COUNTS)


def rule_examples() -> Iterator[Example]:
    """The sentences beside the patterns: what a plain rule or a slot is for, and what a plain rule is not for."""
    for rule in SLOTS:
        if not rule.passing:
            yield from (Example(sentence, "", True) for sentence, _ in rule.examples)
    for rule in SHAPES:
        if rule.plain or rule.standing:
            yield from (Example(sentence, "", True) for sentence in rule.examples)
        if rule.plain:
            yield from (Example(sentence, "", False) for sentence in rule.not_examples)


def change_examples() -> Iterator[Example]:
    """Both statements of the pairs and of the forms of change that are not set aside."""
    for form in read_forms():
        if not form.aside:
            yield Example(form.before, "", True)
            yield Example(form.now, form.asked, True)


def examples() -> Iterator[Example]:
    """All that the weights are fitted to."""
    yield from plain_examples()
    yield from rule_examples()
    yield from change_examples()
    for space in read_spaces():
        if space.name in CHECK or space.users != ["user"]:
            continue
        for turns in space.sessions("user"):
            before = ""
            for turn in turns:
                if turn.role == "user":
                    keep = turn.id in space.evidence or turn.id in space.keepable
                    yield Example(turn.content, before, keep)
                before = turn.content
    for episode in read_episodes():
        if not episode.name.startswith(SET_ASIDE):
            yield from (Example(each.text, each.before, each.keep) for each in episode.turns)


def rows(given: list[Example]) -> tuple[list[Example], list[dict[str, float]], list[str]]:
    """The examples that state anything, with their signs and words."""
    kept: list[Example] = []
    signs: list[dict[str, float]] = []
    words: list[str] = []
    for each in given:
        reading = read(Message("m", "user", each.text, AT))
        stated = [*reading.statements, *(sentence for sentence, _ in reading.standing)]
        if stated:
            kept.append(each)
            answers = "?" in each.before[-80:]
            signs.append(
                lasting.signs(
                    stated, beside=reading.beside, answers=answers, within=bool(each.before)
                )
            )
            words.append(lasting.words_of(stated))
    return kept, signs, words


def main() -> int:
    """Fit, write, and say how many examples there were."""
    kept, signs, words = rows(list(examples()))
    names = list(signs[0])
    design = np.hstack(
        [np.array([[each[name] for name in names] for each in signs]), _vectors(words)]
    )
    found = fit(
        design,
        np.array([float(each.keep) for each in kept]),
        ridge=RIDGE,
        counts=np.array([each.counts for each in kept]),
    )
    cues, vector, base = found[: len(names)], found[len(names) : -1], found[-1]
    _write(dict(zip(names, cues, strict=True)), vector, float(base))
    print(f"{len(kept)} messages, {sum(each.keep for each in kept)} of them to be kept")
    return 0


def _vectors(words: list[str]) -> npt.NDArray[np.float64]:
    return np.array(MiniLM().embed([without_request(each) for each in words]), dtype=np.float64)


def _write(cues: dict[str, float], vector: npt.NDArray[np.float64], base: float) -> None:
    step = float(np.abs(vector).max() / 127)
    numbers = np.rint(vector / step).astype(np.int8)
    written = {
        "made by": "python -m bench.fit_lasting",
        "model": LocalModel.name,
        "base": round(base, 3),
        "cues": {name: round(float(weight), 2) for name, weight in cues.items()},
        "step": round(step, 6),
        "vector": base64.b64encode(numbers.tobytes()).decode(),
    }
    lasting.FILE.write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
