"""Writes what a ranking knows besides the model: `python -m bench.recall_features FOLDER [SET …]`.

For every question of the data sets, and every passage: the BM25 score, whether it contains an identifier of the query, how well its
date fits, and the names that are taken out of the query; for every passage, the text that is embedded. The service runs without
an embedder, so this takes a minute or two. `bench/replay.py` puts vectors of any model to it and computes the ranking.
"""

import gzip
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvloop

from bench.harness import Bench, bench_service, console
from bench.quality import SETS, Space, file_of, foreign_to, read
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import search as engine
from holdfast.kernel.recall import times, words
from holdfast.kernel.recall.model import Candidate, Question
from holdfast.kernel.recall.passages import cut, queries
from holdfast.memories.passages import BEFORE_CHARS

ALL = 1_000_000
"""More candidates than any space has."""
PER_REQUEST = 100


async def save(bench: Bench, space: Space, user: str) -> dict[str, int]:
    """Store the units as `bench.recall` does; the index of each unit by the id of its memory."""
    rows = [
        {
            "key": f"turn-{number}",
            "value": unit["text"],
            "source": unit["speaker"],
            "session_id": f"{user}-{unit['session']}".replace(" ", "_"),
            "valid_from": f"{unit['date']}Z",
        }
        for number, unit in enumerate(space.units)
    ]
    ids: list[str] = []
    for first in range(0, len(rows), PER_REQUEST):
        body = {"memories": rows[first : first + PER_REQUEST]}
        reply = await bench.http.post("/memories/batch", json=body, headers={"Holdfast-User": user})
        reply.raise_for_status()
        ids += [each["id"] for each in reply.json()["results"]]
    return {id: place for place, id in enumerate(ids)}


def passages_of(space: Space) -> list[dict[str, Any]]:
    """Every passage in order, with what is embedded of it: its text after the speaker's name, and the turn before."""
    last: dict[str, str] = {}
    found = []
    for place, unit in enumerate(space.units):
        for start, end in cut(unit["text"]):
            found.append(
                {
                    "unit": place,
                    "text": f"{unit['speaker']}: {unit['text'][start:end]}",
                    "before": last.get(unit["session"], "") if start == 0 else "",
                }
            )
        last[unit["session"]] = f"{unit['speaker']}: {unit['text'][-BEFORE_CHARS:]}"
    return found


async def features(
    db: Database, caller: Caller, question: dict[str, Any], space: Space, places: dict[str, int]
) -> dict[str, Any]:
    """What the index says of one question, by the number of the passage."""
    text, scopes = question["q"], [f"memory/user:{caller.user_id}"]
    now = datetime.fromisoformat(question["date"]).replace(tzinfo=UTC) if question.get("date") else datetime.now(UTC)  # fmt: skip
    asked_for = Question(text=text, scopes=tuple(scopes), kinds=("memory",), now=now)
    asked = await engine.understand(db, caller, asked_for)
    params = engine.candidate_params(asked_for, asked) | {"lexical_limit": ALL}
    candidates = await db.all(
        caller, Candidate, queries.candidates, scopes=scopes, workspace_id=None, **params
    )
    named = times.named_in(text, now)
    numbers = [{start: n for n, (start, _) in enumerate(cut(unit["text"]))} for unit in space.units]
    return {
        "q": text,
        "query": words.without(text, set(asked.names)),
        "names": sorted(asked.names),
        "gold": question.get("gold", []),
        "category": question.get("category", "foreign"),
        "lexical": [
            [places[each.object_id], numbers[places[each.object_id]][each.starts], round(each.lexical, 4),
             int(not asked.words.identifiers.isdisjoint(each.terms))]
            for each in candidates
        ],
        "fits": [round(named.fit(_at(unit)), 3) for unit in space.units] if named else None,
    }  # fmt: skip


def _at(unit: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(unit["date"]).replace(tzinfo=UTC)


async def write(bench: Bench, db: Database, name: str, spaces: list[Space], path: Path) -> None:
    """The file of one data set."""
    out = []
    for number, space in enumerate(spaces):
        user = f"{name}-{space.name}".replace(" ", "_")
        places = await save(bench, space, user)
        caller = Caller(
            org_id=bench.org_id, credential="service", credential_id="bench", workspace_id="default", user_id=user
        )  # fmt: skip
        foreign = [{"q": each} for each in foreign_to(number, max(len(spaces) // 4, 1))]
        questions = [
            await features(db, caller, question, space, places)
            for question in [*space.questions, *foreign]
        ]
        units = [{key: unit[key] for key in ("id", "session", "speaker")} for unit in space.units]
        out.append(
            {
                "name": space.name,
                "units": units,
                "passages": passages_of(space),
                "questions": questions,
            }
        )
    path.write_bytes(gzip.compress(json.dumps(out).encode()))
    console.print(f"{path}: {len(out)} spaces, {path.stat().st_size / 1e6:.1f} MB")


async def main(folder: Path, names: list[str]) -> None:
    """The command line."""
    os.environ["HOLDFAST_EMBEDDER"] = "none"
    folder.mkdir(parents=True, exist_ok=True)
    async with bench_service() as bench:
        db = Database(bench.app_url, services=[Embedders("none")])
        await db.open()
        try:
            for name in names:
                await write(bench, db, name, read(file_of(name)), folder / f"{name}.json.gz")
        finally:
            await db.close()


if __name__ == "__main__":
    logs.configure("warning")
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    uvloop.run(main(Path(sys.argv[1]), sys.argv[2:] or list(SETS)))
