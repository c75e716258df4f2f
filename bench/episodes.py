"""Episodes of changes (data/memchat/episodes): short conversations in which every turn says which earlier ones it replaces.

No pattern and no threshold was made from them; the judge was trained on the files a and b. So those
of the files c (`SET_ASIDE`) show what `bench.extract`'s own spaces cannot: how the extractor does on conversations that it has never met. Each turn is settled by itself, a week after the one before, with what the other side said
right before it. `bench.extract` prints the figures.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.memchat import DATA, Learner, Share, Turn

FIRST = datetime(2026, 1, 5, 12, tzinfo=UTC)
APART = timedelta(weeks=1)

SET_ASIDE = "c-"
"""How the files are called whose episodes no weight was fitted to."""
ASIDE = "set aside"

CHANGED = "changed facts: the new one learned, the old one not held"
BOTH = "changed facts, where both were learned"
KEPT = "turns worth keeping that were learned from"
JUNK = "turns not worth keeping that were learned from"
LOST = "learned facts that still hold, lost to a false change"


@dataclass(frozen=True)
class Said:
    """A turn: `replaces` are the earlier turns that are no longer current after it."""

    id: int
    before: str
    text: str
    keep: bool
    replaces: tuple[int, ...]


@dataclass(frozen=True)
class Episode:
    """One person's turns over weeks or months."""

    name: str
    kind: str
    turns: tuple[Said, ...]


def read_episodes(folder: Path = DATA / "episodes") -> list[Episode]:
    """All episodes, by file and in their order."""
    return [
        _episode(f"{path.stem}/{raw['name']}", raw)
        for path in sorted(folder.glob("*.json"))
        for raw in json.loads(path.read_text())
    ]


def _episode(name: str, raw: Mapping[str, Any]) -> Episode:
    turns = (
        Said(each["id"], each["before"], each["text"], each["keep"], tuple(each["replaces"]))
        for each in raw["turns"]
    )
    return Episode(name, raw["kind"], tuple(turns))


def measure_episodes(
    episodes: list[Episode], make: Callable[[], Learner]
) -> dict[str, dict[str, Share]]:
    """The figures, of all episodes, of those that are set aside, and by their kind."""
    found: dict[str, dict[str, Share]] = {"all": {}}
    for episode in episodes:
        learner = make()
        for turn in episode.turns:
            learner.settle(_session(turn))
        for name, hit in _outcomes(episode, learner):
            columns = ("all", episode.kind)
            for column in (*columns, ASIDE) if episode.name.startswith(SET_ASIDE) else columns:
                found.setdefault(column, {}).setdefault(name, Share()).add(hit)
    return found


def _session(turn: Said) -> list[Turn]:
    at = FIRST + turn.id * APART
    own = Turn(str(turn.id), "user", None, turn.text, at)
    if not turn.before:
        return [own]
    return [Turn(f"before {turn.id}", "assistant", None, turn.before, at), own]


def _outcomes(episode: Episode, learner: Learner) -> list[tuple[str, bool]]:
    """What became of each turn and of each change, one after the other."""
    rows: dict[int, set[str]] = {turn.id: set() for turn in episode.turns}
    for each in learner.applied:
        for turn_id in rows:
            if str(turn_id) in each.turns:
                rows[turn_id].add(each.row)
    current = learner.current()
    ended = {old for turn in episode.turns for old in turn.replaces}
    found: list[tuple[str, bool]] = []
    for turn in episode.turns:
        own = rows[turn.id]
        found.append((KEPT if turn.keep else JUNK, bool(own)))
        if own and turn.keep and turn.id not in ended:
            found.append((LOST, not own & current))
        for old in turn.replaces:
            gone = not rows[old] or not rows[old] <= current
            found.append((CHANGED, bool(own) and gone))
            if own and rows[old]:
                found.append((BOTH, gone))
    return found
