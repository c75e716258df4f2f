"""The peers beside the service: how their process is run and counted, and, where they are installed, themselves."""

import gzip
import json
import os
import sys
from pathlib import Path

import psycopg
import pytest
from bench import recall
from bench.harness import Bench
from bench.peers import run as peers
from bench.peers.contract import ADAPTERS

UNITS = [
    ("u1", "Ana", "I adopted a grey cat from the shelter."),
    ("u2", "Ben", "My sister is learning to play the violin."),
    ("u3", "Ana", "We should repaint the kitchen next spring."),
]


def space(name, prefix):
    return {
        "name": name,
        "units": [
            {"id": f"{prefix}{number}", "text": text, "speaker": speaker, "session": "S1",
             "date": "2023-05-08T13:56:00"}
            for number, speaker, text in UNITS
        ],
        "questions": [
            {"q": "Which pet did Ana adopt?", "category": "single-hop", "gold": [f"{prefix}u1"],
             "gold_sessions": ["S1"], "date": None},
        ],
    }  # fmt: skip


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    """A folder with one small set: two spaces that say the same."""
    with gzip.open(tmp_path / "locomo-tune.json.gz", "wt") as out:
        json.dump([space("first", "a"), space("second", "b")], out)
    monkeypatch.setenv("HOLDFAST_BENCH_DATA", str(tmp_path))
    return tmp_path / "locomo-tune.json.gz"


@pytest.fixture
def bench(org, service, api) -> Bench:
    urls = (service.app_url, service.owner_url)
    return Bench(os.getpid(), service.url, org.key, org.id, *urls, org.db, api)


def stand_in(tmp_path: Path, code: str) -> Path:
    """A program in the place of the peers' Python: it is started as `… -m bench.peers PEER FILE`."""
    path = tmp_path / "python"
    path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{code}")
    path.chmod(0o755)
    return path


ANSWERS = """
print(json.dumps({"version": "1.2"}))
for space in ("a", "b"):
    for _ in range(3):
        print(json.dumps({"add_s": 0.5}))
    print(json.dumps({"search_s": 0.25, "found": [space + "u2", space + "u1"]}))
"""


async def test_a_peers_answers_are_counted_with_our_measures(tmp_path, data, service):
    version, figures = await peers.measure(
        stand_in(tmp_path, ANSWERS), "mem0", data, service.owner_url
    )
    assert version == "1.2"
    assert figures.mean("R@5") == 1.0
    assert figures.mean("MRR") == 0.5
    assert figures.adds_per_s == 2
    assert figures.search_p50_ms == 250


async def test_a_peer_gets_an_empty_database_that_is_gone_afterwards(tmp_path, data, service):
    code = f"open({str(tmp_path / 'url')!r}, 'w').write(os.environ['PEER_DATABASE'])\n"
    await peers.measure(stand_in(tmp_path, code + ANSWERS), "mem0", data, service.owner_url)
    given = (tmp_path / "url").read_text()
    assert psycopg.conninfo.conninfo_to_dict(given)["dbname"] != "holdfast"
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(given)


async def test_a_peer_is_told_no_key_and_no_home_and_sends_no_telemetry(
    tmp_path, data, service, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "a real one")
    code = f"json.dump(dict(os.environ), open({str(tmp_path / 'env')!r}, 'w'))\n"
    await peers.measure(stand_in(tmp_path, code + ANSWERS), "mem0", data, service.owner_url)
    env = json.loads((tmp_path / "env").read_text())
    assert env["MEM0_TELEMETRY"] == "False"
    assert "OPENAI_API_KEY" not in env
    assert not Path(env["HOME"]).exists(), "its home was made for it, and is gone"
    assert env["MEM0_DIR"].startswith(env["HOME"])


async def test_a_peer_that_dies_is_told_of_and_the_run_goes_on(
    tmp_path, data, bench, monkeypatch, capsys
):
    dying = stand_in(tmp_path, "sys.exit('there is no such module')")
    monkeypatch.setenv("HOLDFAST_BENCH_PEERS", str(dying))
    assert await recall.measure_peers(bench, "locomo-tune") == {}
    said = capsys.readouterr().out
    for peer in ADAPTERS:
        assert f"{peer} did not finish" in said
    assert "there is no such module" in said


async def test_the_run_says_how_to_get_the_peers_and_goes_on_without_them(
    tmp_path, data, bench, monkeypatch, capsys
):
    monkeypatch.setenv("HOLDFAST_BENCH_PEERS", str(tmp_path / "nowhere"))
    assert await recall.run(bench, ["locomo-tune"]) is True
    said = capsys.readouterr().out
    assert " ".join(said.split()).startswith(peers.HOW_TO_GET_THEM)
    assert "Holdfast" in said


async def test_all_that_was_measured_stands_in_one_table(
    tmp_path, data, bench, monkeypatch, capsys
):
    monkeypatch.setenv("HOLDFAST_BENCH_PEERS", str(stand_in(tmp_path, ANSWERS)))
    assert await recall.run(bench, ["locomo-tune"]) is True
    said = capsys.readouterr().out
    assert peers.HOW_TO_GET_THEM not in said
    rows = [line for line in said.splitlines() if "1.000" in line and line[0] != " "]
    # A narrow screen breaks a long name: its first word stands where the figures do.
    assert [row.split()[0] for row in rows] == ["Holdfast", *(p.split()[0] for p in ADAPTERS)]


@pytest.mark.skipif(peers.python() is None, reason=peers.HOW_TO_GET_THEM)
@pytest.mark.parametrize("peer", ADAPTERS)
async def test_a_peer_finds_what_was_stored_and_only_in_its_space(peer, data, service):
    interpreter = peers.python()
    assert interpreter is not None
    version, figures = await peers.measure(interpreter, peer, data, service.owner_url)
    assert version
    # An id of the other space has no session in this one: counting it would fail.
    assert figures.mean("MRR") == 1.0
    assert len(figures.add_s) == 6
    assert len(figures.search_s) == 2
