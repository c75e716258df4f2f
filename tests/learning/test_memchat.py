"""How extraction is scored: the rules of data/memchat/README.md, on a space small enough to count by hand."""

from dataclasses import dataclass, field

from bench.extract import InProcess
from bench.memchat import CHECK, Applied, Figures, Space, Turn, read_spaces, replay, run, score

from holdfast.learning.model import Speaker

SPACE = Space(
    {
        "name": "tiny-01",
        "kind": "friends",
        "speakers": ["Maya", "Tom"],
        "sessions": [
            {
                "id": "S1",
                "date": "2026-02-03T19:10",
                "turns": [
                    {"speaker": "Maya", "text": "I live in Leipzig."},
                    {"speaker": "Tom", "text": "I live in Hull."},
                    {"speaker": "Maya", "text": "My car is a blue Golf."},
                    {"speaker": "Maya", "text": "My horse is the moon."},
                ],
            },
            {
                "id": "S2",
                "date": "2026-03-03T19:10",
                "turns": [{"speaker": "Maya", "text": "I moved to Grimma."}],
            },
        ],
        "facts": [
            {"fact": "Maya lived in Leipzig", "about": "Maya", "kind": "fact", "evidence": ["S1:1"], "supersedes": None},
            {"fact": "Tom lives in Hull", "about": "Tom", "kind": "fact", "evidence": ["S1:2"], "supersedes": None},
            {"fact": "Maya lives in Grimma", "about": "Maya", "kind": "event", "evidence": ["S2:1"], "supersedes": "S1:1"},
        ],
        "traps": [{"evidence": "S1:4", "why": "joke"}],
        "questions": [],
        "keepable": ["S1:3"],
    }
)  # fmt: skip


@dataclass
class Scripted:
    """A learner whose result is given."""

    applied: list[Applied]
    held: set[str]
    heard: list[list[Turn]] = field(default_factory=list)

    def settle(self, turns: list[Turn]) -> None:
        self.heard.append(turns)

    def settle_again(self) -> int:
        return 3

    def hygiene(self) -> dict[str, int]:
        return {"duplicates": 2}

    def current(self) -> set[str]:
        return self.held


def applied(turn: str, row: str, action: str = "add") -> Applied:
    return Applied(action, frozenset({turn}), row, "rule", "text")


def counted(learner: Scripted) -> dict[str, tuple[int, int]]:
    figures = Figures()
    score(figures, SPACE, "Maya", learner)
    assert figures.rows_added_again == 3
    assert figures.hygiene == {"duplicates": 2}
    return {name: (share.hits, share.of) for name, share in figures.shares.items()}


def test_what_was_learned_is_counted_as_the_readme_says():
    found = counted(
        Scripted([applied("S1:1", "a"), applied("S1:3", "b"), applied("S1:4", "c"), applied("S2:1", "d", "supersede")], {"b", "c", "d"})
    )  # fmt: skip
    assert found["precision by gold alone"] == (2, 4)
    assert found["precision"] == (2, 3)  # the keepable turn counts neither way
    assert found["recall, about the user"] == (2, 2)
    assert found["recall, stated by the user"] == (2, 2)  # Tom's fact is not Maya's to state
    assert found["traps kept"] == (1, 1)
    assert found["changed facts: new one held, old one not"] == (1, 1)
    assert found["gold facts lost to a false change"] == (0, 1)


def test_an_old_fact_that_is_still_held_is_no_change():
    found = counted(Scripted([applied("S1:1", "a"), applied("S2:1", "d")], {"a", "d"}))
    assert found["changed facts: new one held, old one not"] == (0, 1)


def test_nothing_learned_recalls_nothing_and_keeps_no_trap():
    found = counted(Scripted([], set()))
    assert found["recall, about the user"] == (0, 2)
    assert found["traps kept"] == (0, 1)
    assert "precision" not in found


def test_a_named_space_is_replayed_once_for_each_speaker():
    learner = Scripted([], set())
    replay(SPACE, "Tom", learner)
    assert [(turn.id, turn.role, turn.name) for turn in learner.heard[0]] == [
        ("S1:1", "assistant", "Maya"), ("S1:2", "user", "Tom"), ("S1:3", "assistant", "Maya"), ("S1:4", "assistant", "Maya"),
    ]  # fmt: skip


def test_the_rules_learn_the_tiny_space_and_nothing_twice():
    figures = run([SPACE], lambda _space, user: InProcess(Speaker(user)))
    assert figures.shares["recall, about the user"].value == 1
    assert figures.shares["changed facts: new one held, old one not"].value == 1
    assert figures.rows_added_again == 0
    assert figures.hygiene == {
        "rows held": 4,
        "duplicates": 0,
        "contradictions": 0,
        "rows without a source": 0,
    }


def test_the_spaces_set_aside_are_there():
    assert {space.name for space in read_spaces()} > CHECK
