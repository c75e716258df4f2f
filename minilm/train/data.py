"""Conversations with questions and their evidence, from the formats in which they are published.

Every reader gives spaces: one memory each, with its turns in order, and the questions about it.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

MAX_EVIDENCE = 12
"""Questions of QMSum whose evidence is longer ask for a summary of the meeting."""


class DataError(ValueError):
    """A data file is missing or has another format; the message names it."""


@dataclass(frozen=True)
class Turn:
    """One message of a conversation."""

    id: str
    session: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Question:
    """A query, and the ids of the turns that answer it."""

    text: str
    evidence: tuple[str, ...]
    category: str


@dataclass(frozen=True)
class Space:
    """A memory: the turns of all its sessions in order, and questions about them."""

    name: str
    source: str
    kind: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read_memchat(folder: Path) -> list[Space]:
    """The spaces of data/memchat. Gold facts are queries too, of the category `fact`."""
    files = sorted((folder / "spaces").glob("*.json"))
    if not files:
        raise DataError(f"{folder} has no spaces/*.json: give the folder of memchat")
    return [_memchat_space(file) for file in files]


def _memchat_space(file: Path) -> Space:
    chat = _load(file)
    try:
        turns = [
            Turn(f"{session['id']}:{number}", session["id"], turn["speaker"], turn["text"])
            for session in chat["sessions"]
            for number, turn in enumerate(session["turns"], 1)
        ]
        questions = [
            Question(each["q"], tuple(each["evidence"]), each["cat"]) for each in chat["questions"]
        ]
        facts = [Question(each["fact"], tuple(each["evidence"]), "fact") for each in chat["facts"]]
        return _checked(
            Space(chat["name"], "memchat", chat["kind"], tuple(turns), (*questions, *facts))
        )
    except (KeyError, TypeError) as error:
        raise DataError(f"{file} is not a space of memchat: {error!r}") from error


def read_friendsqa(files: Sequence[Path]) -> list[Space]:
    """FriendsQA: the scenes of one season in one file are a space, each scene a session."""
    turns: dict[str, list[Turn]] = {}
    questions: dict[str, list[Question]] = {}
    for file in files:
        try:
            for scene in _load(file)["data"]:
                name = f"{file.stem}-{scene['title'].split('_')[0]}"
                for paragraph in scene["paragraphs"]:
                    turns.setdefault(name, []).extend(_utterances(scene["title"], paragraph))
                    questions.setdefault(name, []).extend(_answered(scene["title"], paragraph))
        except (KeyError, TypeError) as error:
            raise DataError(f"{file} is not a file of FriendsQA: {error!r}") from error
    return [
        _checked(Space(name, "friendsqa", "scenes", tuple(turns[name]), tuple(questions[name])))
        for name in turns
    ]


def _utterances(title: str, paragraph: dict[str, Any]) -> list[Turn]:
    return [
        Turn(f"{title}:{each['uid']}", title, " and ".join(each["speakers"]), said)
        for each in paragraph["utterances:"]
        if (said := joined(each["utterance"]))
    ]


def _answered(title: str, paragraph: dict[str, Any]) -> list[Question]:
    return [
        Question(
            joined(each["question"]),
            tuple(dict.fromkeys(f"{title}:{answer['utterance_id']}" for answer in each["answers"])),
            each["id"].rsplit("_", 1)[-1].lower(),
        )
        for each in paragraph["qas"]
    ]


def read_qmsum(folder: Path) -> list[Space]:
    """QMSum: a meeting is a space of one session; its specific queries with little evidence."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise DataError(f"{folder} has no *.json: give the folder data/ALL/train of QMSum")
    return [_meeting(file) for file in files]


def _meeting(file: Path) -> Space:
    meeting = _load(file)
    try:
        turns = [
            Turn(str(number), file.stem, each["speaker"], said)
            for number, each in enumerate(meeting["meeting_transcripts"])
            if (said := joined(each["content"]))
        ]
        questions = [
            Question(each["query"], tuple(evidence), "query")
            for each in meeting["specific_query_list"]
            if len(evidence := _span(each["relevant_text_span"])) <= MAX_EVIDENCE
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{file} is not a meeting of QMSum: {error!r}") from error
    return _checked(Space(file.stem, "qmsum", "meeting", tuple(turns), tuple(questions)))


def _span(spans: Iterable[Sequence[str]]) -> list[str]:
    return [str(turn) for first, last in spans for turn in range(int(first), int(last) + 1)]


def joined(tokens: str) -> str:
    """Text that was written with a space before every mark, as people write it."""
    text = re.sub(r"\{[a-z ]*\}", " ", tokens)
    text = re.sub(r"\s+(n't|'\w+|[.,!?;:%)\]])", r"\1", text)
    return " ".join(re.sub(r"([(\[$])\s+", r"\1", text).split())


def _checked(space: Space) -> Space:
    """The space without evidence that names no turn, and without questions that have none."""
    known = {turn.id for turn in space.turns}
    held = [
        replace(each, evidence=tuple(turn for turn in each.evidence if turn in known))
        for each in space.questions
    ]
    return replace(space, questions=tuple(each for each in held if each.evidence))


def held_out(spaces: Sequence[Space], every: int) -> tuple[list[Space], list[Space]]:
    """The spaces to train on, and every so manieth of each kind to measure on (0 for none)."""
    train: list[Space] = []
    held: list[Space] = []
    seen: dict[str, int] = {}
    for space in spaces:
        seen[space.kind] = seen.get(space.kind, 0) + 1
        is_held = every > 0 and seen[space.kind] % every == 0
        (held if is_held else train).append(space)
    return train, held


def digest(files: Iterable[Path]) -> str:
    """One SHA-256 over the contents of files, in order: it tells which data a model has seen."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def _load(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read as JSON: {error}") from error
