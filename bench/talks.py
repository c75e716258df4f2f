"""Talks (data/memchat/talks): conversations over months in which every message says which earlier ones it ends.

Like the spaces, in a shorter form: each message is marked as worth keeping or not, and which earlier ones are no longer current
after it. No pattern was made from them; the judge was trained on all but those of the files -04 and -54 (`SET_ASIDE`). Scored
as the spaces are, each message worth keeping being a fact.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.memchat import DATA, Figures, Learner, Space, run

SET_ASIDE = ("-04", "-54")
"""How the files end whose talks nothing was trained on."""

_TURN = re.compile(r"(\d+) (\S+) (\+|-|x|[>=][\d,]+(?: [>=][\d,]+)*) (.+)")
_MARK = re.compile(r"([>=])([\d,]+)")


def read_talks(folder: Path = DATA / "talks", *, aside: bool = True) -> Iterator[Space]:
    """The talks that are set aside, or the others, as spaces."""
    for path in sorted(folder.glob("*.txt")):
        if path.stem.endswith(SET_ASIDE) == aside:
            for number, talk in enumerate(path.read_text().split("\n@ "), 1):
                yield _space(f"{path.stem}/{number}", talk.removeprefix("@ "))


def measure_talks(make: Callable[[Space, str], Learner]) -> Figures:
    """The figures of the talks that are set aside."""
    return run(list(read_talks()), make)


def _space(name: str, talk: str) -> Space:
    head, *lines = talk.splitlines()
    kind, speakers, _about = (each.strip() for each in head.split("|"))
    sessions: list[dict[str, Any]] = []
    said: list[tuple[str, str, str]] = []
    for line in lines:
        if line.startswith("= "):
            day, time = line.removeprefix("= ").split()
            sessions.append({"id": f"S{len(sessions) + 1}", "date": f"{day}T{time}", "turns": []})
        elif line:
            turn = _TURN.fullmatch(line)
            if turn is None:
                raise ValueError(f"{name} has a line that is no message: {line[:60]}")
            turns = sessions[-1]["turns"]
            turns.append({"speaker": turn[2], "text": turn[4]})
            said.append((f"{sessions[-1]['id']}:{len(turns)}", turn[2], turn[3]))
    return Space(
        {
            "name": name,
            "kind": kind,
            "speakers": [each.strip() for each in speakers.split(",")],
            "sessions": sessions,
            "facts": [fact for place in range(len(said)) for fact in _facts(said, place)],
            "traps": [{"evidence": turn, "why": "trap"} for turn, _, mark in said if mark == "x"],
        }
    )


def _facts(said: list[tuple[str, str, str]], place: int) -> Iterator[dict[str, Any]]:
    """A fact for each earlier message that one ends; a single one where it ends none."""
    turn, speaker, marks = said[place]
    if marks in ("-", "x"):
        return
    ended = [
        said[int(each) - 1]
        for mark, numbers in _MARK.findall(marks)
        for each in numbers.split(",")
        if mark == ">"
    ]
    own = [earlier for earlier, who, _ in ended if who == speaker]
    for earlier in own or [None]:
        yield {
            "fact": turn, "about": speaker, "kind": "fact", "evidence": [turn], "supersedes": earlier,
        }  # fmt: skip
