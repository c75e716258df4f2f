"""Quality of the `rules` extractor on data/memchat: `python -m bench.extract [--verbose]` (`make bench-extract`).

The extractor and the comparison of candidates with existing rows (with the local embedder) run in this process, without the
service: sessions are settled one after the other, each with the ten messages before it as context, and rows are kept in a list. Prints the figures that the
README of data/memchat defines, for the spaces that the rules were tuned on and for those held out, by kind of fact and by kind
of space, and how well restated and changed facts are distinguished. `--verbose` shows the worst failures. `--service [SPACE …]`
measures the same through a running service (bench/extract_service.py). Exits with 1 if a figure is below its floor.
"""

import asyncio
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache

from holdfast_minilm import MiniLM
from rich.console import Console
from rich.table import Table

from bench import extract_service
from bench.changes import measure_forms
from bench.episodes import measure_episodes, read_episodes
from bench.memchat import (
    CHECK,
    DATA,
    Applied,
    Figures,
    Share,
    Space,
    Turn,
    merged,
    read_spaces,
    run,
)
from bench.plain import measure_plain
from bench.talks import measure_talks
from holdfast.learning import meaning
from holdfast.learning.compare import compare
from holdfast.learning.judge import Judge, Pair, Verdict, pairs_of
from holdfast.learning.model import CONTEXT_MESSAGES, Candidate, KnownFact, Message, Said, Speaker
from holdfast.learning.rules import extract, to_weigh
from holdfast.learning.things import MANY_VALUED

FLOORS = {"precision": 0.85, "recall, stated by the user": 0.55}
CEILINGS = {"traps kept": 0.03}
PAIR_FLOOR = 0.8
SHOWN = 25
"""How many failures of a sort --verbose shows."""


@dataclass
class Row:
    """The fields of a memory row that the replay needs."""

    fact: KnownFact
    turns: set[str]
    superseded: bool = False


@dataclass
class InProcess:
    """The extractor and the comparison on a list of rows: the same as the job, without a database."""

    speaker: Speaker
    rows: list[Row] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)
    learned: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    """The row that each source went to, by message, quote and slot: a source is learned from once."""
    left: set[tuple[str, str, str]] = field(default_factory=set)
    """Sources that would have been learned from only if they replaced something."""

    def settle(self, turns: list[Turn]) -> None:
        """Learn from one session."""
        messages = [make_message(each) for each in turns]
        self._learn(messages, self.said[-CONTEXT_MESSAGES:])
        self.said += messages

    def settle_again(self) -> int:
        """Process the whole conversation four more times, as if it had not been processed before."""
        before, applied = len(self.rows), list(self.applied)
        for _ in range(4):
            self._learn(self.said, [])
        self.applied = applied
        return len(self.rows) - before

    def current(self) -> set[str]:
        """Rows that are not superseded."""
        return {row.fact.id for row in self.rows if not row.superseded}

    def hygiene(self) -> dict[str, int]:
        """Rows with the same text, slots of one value that hold two, rows without a source."""
        held = [row for row in self.rows if not row.superseded]
        slots = Counter(
            (row.fact.subject, row.fact.attribute)
            for row in held
            if row.fact.attribute and not row.fact.attribute.startswith(MANY_VALUED)
        )
        return {
            "rows held": len(held),
            "duplicates": len(held) - len({row.fact.text.lower() for row in held}),
            "contradictions": sum(count - 1 for count in slots.values()),
            "rows without a source": sum(not row.turns for row in held),
        }

    def _learn(self, messages: list[Message], context: list[Message]) -> None:
        chances = {said: chance_of(said) for said in to_weigh(messages, context)}
        found = extract(messages, context=context, speaker=self.speaker, chances=chances)
        gone = set(found.retracted)
        for row in self.rows:
            row.superseded |= bool(row.turns) and row.turns <= gone
        for candidate in found.candidates:
            if not candidate.quarantined:
                self._apply(candidate)

    def _apply(self, candidate: Candidate) -> None:
        source = candidate.sources[0]
        key = (source.message_id, source.quote, candidate.attribute)
        if key in self.left:
            return
        if key in self.learned:
            self._note("none", self.learned[key], candidate)
            return
        found = self._decide(candidate)
        if found is None:
            self.left.add(key)
            return
        action, row = found
        self.learned[key] = row
        row.turns |= {source.message_id for source in candidate.sources}
        self._note(action, row, candidate)

    def _decide(self, candidate: Candidate) -> tuple[str, Row] | None:
        own = {source.message_id for source in candidate.sources}
        held = [row for row in self.rows if not row.superseded and not row.turns & own]
        known = [row.fact for row in held]
        vectors = vectors_of(candidate, known)
        pairs = pairs_of(candidate, [fact.said for fact in known], vectors)
        result = compare(candidate, known, vectors, {each: verdict_on(each) for each in pairs})
        if candidate.only_as_change and result.outcome != "supersede":
            return None
        row = next((row for row in held if row.fact.id == result.fact_id), None)
        for each in held:
            each.superseded |= each.fact.id in result.further
        if result.outcome == "same" and row is not None:
            return "none", row
        if result.outcome == "supersede" and row is not None:
            row.superseded = True
        fact = KnownFact(
            f"row-{len(self.rows)}",
            candidate.text,
            candidate.subject,
            candidate.attribute,
            candidate.value,
            candidate.sources[0].quote,
            candidate.valid_from,
        )
        self.rows.append(Row(fact, set()))
        return result.outcome, self.rows[-1]

    def _note(self, action: str, row: Row, candidate: Candidate) -> None:
        turns = frozenset(source.message_id for source in candidate.sources if source.message_id)
        self.applied.append(Applied(action, turns, row.fact.id, candidate.rule, candidate.text))


@cache
def _model() -> MiniLM:
    return MiniLM()


@cache
def vector_of(words: str) -> meaning.Vector:
    """The vector of some words, as learning compares them."""
    return _model().embed([meaning.without_request(words)])[0]


@cache
def _judge() -> Judge:
    return Judge()


@cache
def verdict_on(pair: Pair) -> Verdict:
    """What the model says of a pair."""
    return _judge().judge([pair])[pair]


@cache
def chance_of(said: Said) -> float:
    """How likely the model finds it worth keeping."""
    return _judge().worths([said])[said]


def vectors_of(candidate: Candidate, known: list[KnownFact]) -> dict[str, meaning.Vector]:
    """The vectors that comparing the candidate with these facts needs."""
    words = {*meaning.compared_by(candidate), *(fact.said for fact in known)}
    return {each: vector_of(each) for each in words}


def make_message(turn: Turn) -> Message:
    """A turn as the extractor reads it."""
    return Message(turn.id, turn.role, turn.content, turn.created_at, turn.name)  # type: ignore[arg-type]


def make_learner(_space: Space, user: str) -> InProcess:
    """A learner for one user of one space."""
    return InProcess(Speaker(None if user == "user" else user))


def measure_pairs() -> dict[str, dict[str, Share]]:
    """How pairs of statements are classified: the same again, a change, something else; by part of the file."""
    shares: dict[str, dict[str, Share]] = {}
    for pair in json.loads((DATA / "pairs.json").read_text()):
        learner = InProcess(Speaker())
        for number, text in enumerate((pair["first"], pair["then"])):
            learner.settle(
                [
                    Turn(
                        f"S{number}:1",
                        "user",
                        None,
                        f"Remember that {text}",
                        datetime(2026, 3, 2 + number, tzinfo=UTC),
                    )
                ]
            )
        rows, held = len(learner.rows), len(learner.current())
        right = {"same": rows == 1, "change": rows == 2 and held == 1, "other": held == 2}[
            pair["is"]
        ]
        part = "set aside" if pair.get("aside") else "tuned on"
        shares.setdefault(part, {}).setdefault(pair["is"], Share()).add(right)
    return shares


def _table(title: str, columns: dict[str, Figures]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
    names = dict.fromkeys(name for each in columns.values() for name in each.shares)
    for name in names:
        table.add_row(name, *(_cell(each.shares[name]) for each in columns.values()))
    for name in ("rows held", "duplicates", "contradictions", "rows without a source"):
        table.add_row(name, *(str(each.hygiene[name]) for each in columns.values()))
    table.add_row(
        "rows added by settling four times more",
        *(str(each.rows_added_again) for each in columns.values()),
    )
    return table


def _cell(share: Share) -> str:
    return f"{share.value:.3f} ({share.hits}/{share.of})"


def _breakdown(title: str, columns: dict[str, dict[str, Share]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
    for key in sorted({key for each in columns.values() for key in each}):
        table.add_row(key, *(_cell(each.get(key, Share())) for each in columns.values()))
    return table


def main() -> int:
    """Measure and print; returns 1 if a figure is below its floor."""
    verbose, console = "--verbose" in sys.argv, Console(width=150)
    if "--service" in sys.argv:
        return _through_service(console, [each for each in sys.argv[1:] if each[0] != "-"])
    spaces = read_spaces()
    parts = {
        "tuned on": run([each for each in spaces if each.name not in CHECK], make_learner),
        "set aside": run([each for each in spaces if each.name in CHECK], make_learner),
    }
    everything = merged(list(parts.values()))
    console.print(
        _table(f"{len(spaces)} spaces, settled in this process", {**parts, "all": everything})
    )
    console.print(
        _breakdown("recall by kind of fact", {name: each.by_kind for name, each in parts.items()})
    )
    console.print(
        _breakdown(
            "changed facts by kind: new one held, old one not",
            {name: each.changed_by_kind for name, each in parts.items()},
        )
    )
    console.print(
        _breakdown(
            "by kind of space",
            {
                name: {f"{kind}: {what}": share for (kind, what), share in each.by_space.items()}
                for name, each in parts.items()
            },
        )
    )
    pairs = measure_pairs()
    console.print(_breakdown("pairs of statements (pairs.json): told apart rightly", pairs))
    console.print(
        _breakdown("forms of change (changes.json)", measure_forms(lambda: InProcess(Speaker())))
    )
    console.print(
        _breakdown(
            "plain messages to an assistant (data/memchat/plain)",
            measure_plain(lambda: InProcess(Speaker())),
        )
    )
    episodes = read_episodes()
    console.print(
        _breakdown(
            f"{len(episodes)} episodes of changes",
            measure_episodes(episodes, lambda: InProcess(Speaker())),
        )
    )
    talks = measure_talks(make_learner)
    console.print(_table("talks that are set aside (data/memchat/talks)", {"talks": talks}))
    if verbose:
        console.print(
            _breakdown("precision by rule", {name: each.by_rule for name, each in parts.items()})
        )
        _show_failures(console, parts["tuned on"])
    return _verdict(console, everything, pairs)


def _through_service(console: Console, names: list[str]) -> int:
    figures = asyncio.run(extract_service.measure(names))
    console.print(_table("settled by the service", {"through the service": figures}))
    return _verdict(console, figures, {})


def _show_failures(console: Console, figures: Figures) -> None:
    for name, failures in figures.failures.items():
        console.print(f"\n[bold]{name}[/bold]: {len(failures)}")
        for each in failures[:: max(1, len(failures) // SHOWN)][:SHOWN]:
            console.print("  " + each[:280], markup=False, highlight=False)


def _verdict(console: Console, figures: Figures, pairs: dict[str, dict[str, Share]]) -> int:
    missed = [
        f"{name} {figures.shares[name].value:.3f} < {floor}"
        for name, floor in FLOORS.items()
        if figures.shares[name].value < floor
    ]
    missed += [
        f"{name} {figures.shares[name].value:.3f} > {top}"
        for name, top in CEILINGS.items()
        if figures.shares[name].value > top
    ]
    missed += [
        f"pairs, {part}: {name} {share.value:.3f} < {PAIR_FLOOR}"
        for part, shares in pairs.items()
        for name, share in shares.items()
        if share.value < PAIR_FLOOR
    ]
    if figures.rows_added_again:
        missed.append(f"{figures.rows_added_again} rows added by settling again")
    missed += [
        f"{figures.hygiene[name]} {name}"
        for name in ("duplicates", "contradictions", "rows without a source")
        if figures.hygiene[name]
    ]
    for each in missed:
        console.print(f"floor not held: {each}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
