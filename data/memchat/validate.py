"""python validate.py FILE…: checks spaces of memchat, prints counts and what is wrong."""

import json
import re
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

CATEGORIES = {"single-hop", "multi-hop", "temporal", "open-domain", "keyword"}
KINDS = {"identity", "preference", "fact", "relation", "event", "plan", "decision", "instruction"}


def read_turns(space: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    """The texts of a space by turn, and what is wrong with its sessions."""
    turns, wrong, last = {}, [], None
    for session in space["sessions"]:
        when = datetime.fromisoformat(session["date"])
        if last and when < last:
            wrong.append(f"{session['id']} is before the session before it")
        last = when
        for number, turn in enumerate(session["turns"], 1):
            name = f"{session['id']}:{number}"
            if turn["speaker"] not in space["speakers"]:
                wrong.append(f"{name} unknown speaker {turn['speaker']}")
            if not turn["text"].strip():
                wrong.append(f"{name} empty")
            turns[name] = turn["text"]
    return turns, wrong


def check(space: dict[str, Any], turns: dict[str, str]) -> list[str]:
    """What is wrong with the questions, facts, traps and keepable turns of a space."""
    wrong = []
    for question in space["questions"]:
        if question["cat"] not in CATEGORIES:
            wrong.append(f"category {question['cat']}")
        if not question["evidence"]:
            wrong.append(f"no evidence: {question['q']}")
        wrong += [
            f"{each} does not exist: {question['q']}"
            for each in question["evidence"]
            if each not in turns
        ]
    for fact in space["facts"]:
        if fact["kind"] not in KINDS:
            wrong.append(f"kind {fact['kind']}")
        named = [*fact["evidence"], *filter(None, [fact.get("supersedes")])]
        wrong += [f"{each} does not exist: {fact['fact']}" for each in named if each not in turns]
    gold = {each for fact in space["facts"] for each in fact["evidence"]}
    wrong += [
        f"trap {trap['evidence']}" for trap in space["traps"] if trap["evidence"] not in turns
    ]
    for each in space.get("keepable", []):
        if each not in turns or each in gold:
            wrong.append(f"keepable {each} does not exist, or is evidence already")
    return wrong


def shared_words(space: dict[str, Any], turns: dict[str, str]) -> float:
    """The share of a question's words that its evidence has, on average."""
    shares = []
    for question in space["questions"]:
        asked = _words(question["q"])
        said = {word for each in question["evidence"] for word in _words(turns.get(each, ""))}
        shares.append(len(asked & said) / max(len(asked), 1))
    return sum(shares) / max(len(shares), 1)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{4,}", text.lower()))


def main(paths: list[str]) -> int:
    """Check the files; 1 where anything is wrong."""
    total, bad = [0, 0, 0, 0], 0
    for path in map(Path, paths):
        space = json.loads(path.read_text())
        turns, wrong = read_turns(space)
        wrong += check(space, turns)
        counts = [len(turns), len(space["questions"]), len(space["facts"]), len(space["traps"])]
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(path.name, "turns/questions/facts/traps", counts, f"{shared_words(space, turns):.2f}")
        for each in wrong:
            print("   WRONG", each)
        bad += bool(wrong)
    print("total", total, "files with errors", bad)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
