"""Episodes of changes: the files are well formed, and their figures are counted as bench/episodes.py says."""

from dataclasses import dataclass, field
from itertools import pairwise

from bench.episodes import (
    BOTH,
    CHANGED,
    JUNK,
    KEPT,
    LOST,
    Episode,
    Said,
    measure_episodes,
    read_episodes,
)
from bench.extract import InProcess
from bench.memchat import Applied, Turn

from holdfast.learning.model import Speaker

EPISODES = read_episodes()

EPISODE = Episode(
    "allotment",
    "messy",
    (
        Said(1, "how much do they want for it", "180 a week, the shed is included", True, ()),
        Said(2, "", "my sister has a plot too", True, ()),
        Said(3, "and the plot?", "so 200 from now on", True, (1,)),
        Said(4, "still raining?", "like the end of days", False, ()),
        Said(5, "and your sister's?", "she gave it up", True, (2,)),
    ),
)


@dataclass
class Scripted:
    """A learner that learned from turns 1, 2, 3 and 4, and took turn 3 for the end of both turns before."""

    held: set[str]
    applied: list[Applied] = field(
        default_factory=lambda: [
            Applied("add", frozenset({str(turn)}), f"row-{turn}", "rule", "")
            for turn in (1, 2, 3, 4)
        ]
    )
    seen: list[list[Turn]] = field(default_factory=list)

    def settle(self, turns: list[Turn]) -> None:
        self.seen.append(turns)

    def settle_again(self) -> int:
        return 0

    def hygiene(self) -> dict[str, int]:
        return {}

    def current(self) -> set[str]:
        return self.held


def counted(held: set[str]) -> dict[str, tuple[int, int]]:
    found = measure_episodes([EPISODE], lambda: Scripted(held))
    assert found["all"] == found["messy"]
    return {name: (share.hits, share.of) for name, share in found["all"].items()}


def test_a_change_counts_where_the_new_one_is_learned_and_the_old_one_is_not_held():
    # Turn 5 was not learned from: its change is missed, although what it replaces is gone.
    assert counted({"row-3", "row-4"})[CHANGED] == (1, 2)
    assert counted({"row-3", "row-4"})[BOTH] == (1, 1)
    assert counted({"row-1", "row-3"})[CHANGED] == (0, 2)
    assert counted({"row-1", "row-3"})[BOTH] == (0, 1)


def test_what_still_holds_and_is_not_held_is_lost():
    assert counted({"row-3"})[LOST] == (0, 1)  # turns 1 and 2 have ended, 4 was not worth it
    assert counted({"row-2"})[LOST] == (1, 1)


def test_turns_are_counted_by_what_they_are_worth():
    assert counted({"row-3"})[KEPT] == (3, 4)
    assert counted({"row-3"})[JUNK] == (1, 1)


def test_each_turn_is_settled_by_itself_a_week_after_the_one_before():
    learner = Scripted(set())
    measure_episodes([EPISODE], lambda: learner)
    assert [[(turn.role, turn.content) for turn in turns] for turns in learner.seen[:2]] == [
        [
            ("assistant", "how much do they want for it"),
            ("user", "180 a week, the shed is included"),
        ],
        [("user", "my sister has a plot too")],
    ]
    days = [turns[-1].created_at for turns in learner.seen]
    assert {(later - earlier).days for earlier, later in pairwise(days)} == {7}


def test_a_plain_change_is_found_by_the_rules():
    said = (
        Said(1, "", "I live in Leipzig.", True, ()),
        Said(2, "", "I moved to Grimma.", True, (1,)),
    )
    found = measure_episodes([Episode("move", "friends", said)], lambda: InProcess(Speaker()))
    assert (found["all"][CHANGED].hits, found["all"][CHANGED].of) == (1, 1)


def faults(episode: Episode) -> list[str]:
    keep: dict[int, bool] = {}
    found: list[str] = []
    for number, turn in enumerate(episode.turns, 1):
        where = f"{episode.name} {turn.id}"
        if turn.id != number:
            found.append(f"{where}: not turn {number}")
        if not turn.text.strip():
            found.append(f"{where}: says nothing")
        if not all(keep.get(old) for old in turn.replaces):
            found.append(f"{where}: replaces a later turn, or one that is not worth keeping")
        if turn.replaces and not turn.keep:
            found.append(f"{where}: replaces something and is not worth keeping")
        keep[turn.id] = turn.keep
    return found


def test_an_episode_replaces_only_what_was_said_before_and_was_worth_keeping():
    assert [each for episode in EPISODES for each in faults(episode)] == []


def test_names_of_episodes_are_unique():
    assert EPISODES
    assert len({each.name for each in EPISODES}) == len(EPISODES)
