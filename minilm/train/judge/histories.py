"""What people said over time, and which earlier statements each one replaces or says again.

`threads`, `talks`, `episodes`, `plain`, `changes.json`, `pairs.json` and `spaces` are read into one
form.
What is set aside is given apart: nothing is trained on it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from train.data import DataError

SET_ASIDE_SPACES = frozenset(
    f"{kind}-{number}"
    for kind, numbers in {
        "assistant": ("09", "11", "12"),
        "friends": ("09", "11", "12"),
        "longchat": ("08", "09"),
        "messy": ("07", "08", "09"),
        "teams": ("07", "08", "09"),
    }.items()
    for number in numbers
)
SET_ASIDE_EPISODES = "c-"
SET_ASIDE_THREADS = "-06"
SET_ASIDE_TALKS = ("-04", "-54")
"""How the files begin whose episodes, and end whose threads and talks, are set aside."""

_LINE = re.compile(r"(\d+) d\d+ (\+|-|[>=][\d,]+(?: [>=][\d,]+)*) (.+)")
_TURN = re.compile(r"(\d+) (\S+) (\+|-|x|[>=][\d,]+(?: [>=][\d,]+)*) (.+)")
_MARK = re.compile(r"([>=])([\d,]+)")
_BEFORE_CHARS = 200


@dataclass(frozen=True)
class Statement:
    """One message: the places of those before it that it replaces or repeats."""

    text: str
    before: str = ""
    is_kept: bool = True
    replaces: tuple[int, ...] = ()
    repeats: tuple[int, ...] = ()
    is_asked: bool = True
    """Whether it is compared with those before it; else it is only something to compare with."""


@dataclass(frozen=True)
class History:
    """The statements of one person, in order."""

    source: str
    statements: tuple[Statement, ...]

    def held_before(self, place: int) -> list[int]:
        """The kept ones before it that nothing has replaced by then."""
        gone = {each for earlier in self.statements[:place] for each in earlier.replaces}
        return [at for at in range(place) if self.statements[at].is_kept and at not in gone]


def read_histories(folder: Path) -> tuple[list[History], list[History]]:
    """Those of a folder like data/memchat to train on, and those that are set aside."""
    train: list[History] = []
    aside: list[History] = []
    for read in (_threads, _talks, _episodes, _spaces, _plain, _forms, _pairs):
        found = list(read(folder))
        if not found:
            raise DataError(f"{folder} has nothing that {read.__name__} reads: give data/memchat")
        for history, is_aside in found:
            (aside if is_aside else train).append(_checked(history))
    return train, aside


def read_threads(file: Path) -> Iterator[History]:
    """The threads of one file; DataError where a line is not in their format."""
    said: list[Statement] = []
    before = ""
    for number, line in enumerate([*file.read_text(encoding="utf-8").splitlines(), "@ end"], 1):
        if line.startswith("@ "):
            if said:
                yield History("threads", tuple(said))
            said, before = [], ""
        elif line.startswith("B: "):
            before = line.removeprefix("B: ")
        elif line.strip():
            match = _LINE.fullmatch(line)
            if match is None or int(match[1]) != len(said) + 1:
                raise DataError(f"{file.name}:{number}: not a statement of a thread: {line[:60]}")
            said.append(_said(match[2], match[3], before))
            before = ""


def _said(marks: str, text: str, before: str) -> Statement:
    return Statement(text, before, marks != "-", _places(marks, ">"), _places(marks, "="))


def _places(marks: str, mark: str) -> tuple[int, ...]:
    named = (numbers for kind, numbers in _MARK.findall(marks) if kind == mark)
    return tuple(int(each) - 1 for numbers in named for each in numbers.split(","))


def read_talks(file: Path) -> Iterator[History]:
    """Of each talk of one file the messages of each speaker; DataError as for threads."""
    turns: list[re.Match[str] | None] = []
    for number, line in enumerate([*file.read_text(encoding="utf-8").splitlines(), "@ end"], 1):
        if line.startswith("@ "):
            for speaker in dict.fromkeys(each[2] for each in turns if each and each[3] != "-"):
                yield _of_talk(turns, speaker)
            turns = []
        elif line.startswith("= "):
            turns.append(None)
        elif line.strip():
            match = _TURN.fullmatch(line)
            if match is None or int(match[1]) != 1 + sum(each is not None for each in turns):
                raise DataError(f"{file.name}:{number}: not a message of a talk: {line[:60]}")
            turns.append(match)


def _of_talk(turns: Iterable[re.Match[str] | None], speaker: str) -> History:
    """What one of the speakers says; what the others' words end is another history's."""
    said: list[Statement] = []
    places: dict[int, int] = {}
    before = ""
    for turn in turns:
        if turn is not None and turn[2] == speaker:
            places[int(turn[1]) - 1] = len(said)
            replaced, repeated = (
                tuple(places[at] for at in _places(turn[3], mark) if at in places) for mark in ">="
            )
            kept = turn[3] not in ("-", "x")
            said.append(Statement(turn[4], before[-_BEFORE_CHARS:], kept, replaced, repeated))
        before = turn[4] if turn is not None else ""
    return History("talks", tuple(said))


def _checked(history: History) -> History:
    """With references to what is kept alone; what a statement refers to must stand before it."""
    found = []
    for place, each in enumerate(history.statements):
        if any(at >= place for at in (*each.replaces, *each.repeats)):
            raise DataError(f"{history.source}: {each.text[:60]!r} refers to what comes later")
        replaces, repeats = (_kept(history, places) for places in (each.replaces, each.repeats))
        found.append(replace(each, replaces=replaces, repeats=repeats))
    return replace(history, statements=tuple(found))


def _kept(history: History, places: Iterable[int]) -> tuple[int, ...]:
    return tuple(at for at in places if history.statements[at].is_kept)


Found = Iterator[tuple[History, bool]]


def _threads(folder: Path) -> Found:
    for file in sorted((folder / "threads").glob("*.txt")):
        for history in read_threads(file):
            yield history, file.stem.endswith(SET_ASIDE_THREADS)


def _talks(folder: Path) -> Found:
    for file in sorted((folder / "talks").glob("*.txt")):
        for history in read_talks(file):
            yield history, file.stem.endswith(SET_ASIDE_TALKS)


def _episodes(folder: Path) -> Found:
    for file in sorted((folder / "episodes").glob("*.json")):
        for episode in json.loads(file.read_text()):
            places = {turn["id"]: place for place, turn in enumerate(episode["turns"])}
            said = tuple(
                Statement(
                    turn["text"],
                    turn["before"],
                    turn["keep"],
                    tuple(places[each] for each in turn["replaces"]),
                )
                for turn in episode["turns"]
            )
            yield History("episodes", said), file.name.startswith(SET_ASIDE_EPISODES)


def _spaces(folder: Path) -> Found:
    """Each speaker's messages; of a gold fact that supersedes another, the last turn replaces."""
    for file in sorted((folder / "spaces").glob("*.json")):
        space = json.loads(file.read_text())
        for speaker in space["speakers"]:
            if speaker != "assistant":
                yield _of_speaker(space, speaker), space["name"] in SET_ASIDE_SPACES


def _of_speaker(space: Mapping[str, Any], speaker: str) -> History:
    kept = {turn for fact in space["facts"] for turn in fact["evidence"]} | set(
        space.get("keepable", ())
    )
    said: list[Statement] = []
    places: dict[str, int] = {}
    for session in space["sessions"]:
        before = ""
        for number, turn in enumerate(session["turns"], 1):
            if turn["speaker"] == speaker:
                name = f"{session['id']}:{number}"
                places[name] = len(said)
                said.append(Statement(turn["text"], before[-_BEFORE_CHARS:], name in kept))
            before = turn["text"]
    for fact in space["facts"]:
        own = [places[each] for each in fact["evidence"] if each in places]
        replaced = places.get(fact["supersedes"])
        if own and replaced is not None and replaced < own[-1]:
            earlier = {*said[own[-1]].replaces, replaced}
            said[own[-1]] = replace(said[own[-1]], replaces=tuple(sorted(earlier)))
    return History("spaces", tuple(said))


def _plain(folder: Path) -> Found:
    for name, is_kept in (("statements.json", True), ("nothing.json", False)):
        for each in _read(folder / "plain" / name):
            yield History("plain", (Statement(each["text"], is_kept=is_kept),)), each["aside"]
    for pair in _read(folder / "plain" / "pairs.json"):
        yield _two("plain", pair["before"], pair["now"], pair["kind"]), pair["aside"]


def _forms(folder: Path) -> Found:
    for form in _read(folder / "changes.json"):
        history = _two("forms", form["before"], form["now"], form["is"], form.get("asked", ""))
        yield history, form.get("aside", False)


def _pairs(folder: Path) -> Found:
    for pair in _read(folder / "pairs.json"):
        yield _two("pairs", pair["first"], pair["then"], pair["is"]), pair.get("aside", False)


def _two(source: str, first: str, then: str, kind: str, before: str = "") -> History:
    later = Statement(
        then, before, replaces=(0,) * (kind == "change"), repeats=(0,) * (kind == "same")
    )
    return History(source, (Statement(first, is_asked=False), later))


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads(file.read_text())
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}") from error
    return found
