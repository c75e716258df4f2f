"""After an erasure no file holds a word of the person: the stopped cluster's, the log's, the object store's, Redis'."""

import asyncio
import json
import time
from pathlib import Path

import httpx
import psycopg

from holdfast.engine import find_running
from holdfast.walls.specimens import one_of_everything
from tests import forked
from tests.conftest import redis_server, serving

PERSON = "zelda.of.the.canaries"
# Words of the person, and none of anybody else. The index keeps words by their stems.
WORDS = ("quetzalcanary", "xylocanary", PERSON)


def files_with(folder, words):
    """Every file under a folder that holds one of the words, whatever the case."""
    found = []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            content = path.read_bytes().lower()
            found += [f"{path}: {word}" for word in words if word.encode() in content]
    return found


def cli(data_dir, *args):
    env = {"PATH": "/usr/bin:/bin", "HOLDFAST_DATA_DIR": str(data_dir)}
    return forked.run(["-m", "holdfast", *args], env=env, timeout=300)


def say(url, key, user, word):
    """Memory on every face, in Postgres and in Redis, changed and deleted too."""
    headers = {"Authorization": f"Bearer {key}", "Holdfast-User": user}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:

        def must(method, path, **request):
            reply = client.request(method, path, **request)
            assert reply.status_code < 300, f"{method} {path}: {reply.text}"
            return reply.json()

        for kind in ("redis", "postgres"):
            resource = {"resource": "memory", "id": f"in-{kind}", "type": "message_count_based"}
            resource |= {"max_messages": 3, "persistence": {"type": kind}}
            must("PUT", f"/memory-resources/in-{kind}", json=resource)
            body = {"key": "k", "messages": [f"{word} message {n} {kind}" for n in range(6)]}
            must("POST", f"/conversations/in-{kind}/append", json=body)
        memory = must("POST", "/memories", json={"key": word, "value": f"{word} was said"})["id"]
        must("PATCH", f"/memories/{memory}", json={"value": f"{word} was said again"})
        must(
            "POST", f"/memories/{memory}/assets?name={word}.txt", content=f"{word} {word}".encode()
        )
        must(
            "PUT",
            "/agents/bot/entries/gone",
            json={"content": f"{word} soon gone", "scope": "user"},
        )
        client.delete("/agents/bot/entries/gone?scope=user")
        body = {"content": f"{word} in a block", "expected_updated_at": None}
        must("PUT", f"/memory/blocks/archival?agent_id=agent-{len(word)}", json=body)
        must(
            "POST",
            "/context",
            json={"message": f"what of {word}?", "session_id": "s", "message_id": "m"},
        )
        client.headers["Idempotency-Key"] = f"{user} {word}"
        must("POST", "/recall", json={"query": word})


def test_no_file_holds_a_word_of_an_erased_person(data_dir):
    folder = data_dir.parent
    with (
        redis_server(folder / "redis") as redis_url,
        serving(data_dir, HOLDFAST_REDIS_URL=redis_url) as (ready, _),
    ):
        url, key = ready["url"], ready["api_key"]
        say(url, key, PERSON, WORDS[0])
        say(url, key, PERSON, WORDS[1])
        say(url, key, "ben", "hummingbird")
        everything_of(url, key)
        analyze(data_dir)  # samples of the columns are content too
        assert {"postgres", "assets", "redis"} <= {
            part for line in files_with(folder, WORDS) for part in Path(line).parts
        }

        done = cli(data_dir, "erase", "--user", PERSON, "--yes", "--json")
        assert done.returncode == 0, done.stderr
        receipt = json.loads(done.stdout)
        assert receipt["files"]["not_permitted"] == []
        assert receipt["files"]["waited_for_old_transactions"] is True
        assert receipt["outside"] == {"objects_deleted": 3, "redis": "rewritten"}
        assert receipt["counts"]["erased"]["redis_conversations"] == 1
        checked = cli(data_dir, "erase", "--verify", receipt["id"], "--json")
        assert checked.returncode == 0, checked.stdout
        assert json.loads(checked.stdout)["ok"] is True
        assert cli(data_dir, "erase", "--user", PERSON, "--yes", "--json").returncode == 4

        ben = {"Authorization": f"Bearer {key}", "Holdfast-User": "ben"}
        recalled = httpx.post(
            f"{url}/api/v1/recall", json={"query": "hummingbird"}, headers=ben, timeout=30
        ).json()
        assert recalled["data"]
        names = relations(data_dir)

    left = files_with(folder, WORDS)
    assert [f"{line} {names.get(line.partition(':')[0])}" for line in left] == []
    assert files_with(data_dir, ["hummingbird"]) != []

    # Without a service the command erases by itself.
    with redis_server(folder / "redis") as redis_url:
        refused = cli(data_dir, "erase", "--user", "ben", "--yes", "--json")
        assert refused.returncode == 3
        assert "HOLDFAST_REDIS_URL" in refused.stderr
        assert redis_url


def everything_of(url, key):
    """One of everything, as the person, so that every table has something of theirs."""

    async def make():
        admin = httpx.AsyncClient(
            base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60
        )
        theirs = httpx.AsyncClient(
            base_url=f"{url}/api/v1",
            headers={"Authorization": f"Bearer {key}", "Holdfast-User": PERSON},
            timeout=60,
        )
        async with admin, theirs:
            await one_of_everything(admin, theirs)

    asyncio.run(make())


def relations(data_dir):
    """The tables and indexes of the database, by their files."""
    running = find_running(data_dir)
    assert running is not None
    with psycopg.connect(running.owner_url) as connection:
        rows = connection.execute(
            "SELECT pg_relation_filepath(oid), relname FROM pg_class WHERE relkind IN ('r', 'i', 't')"
        )
        return {f"{data_dir}/postgres/{path}": name for path, name in rows}


def analyze(data_dir):
    running = find_running(data_dir)
    assert running is not None
    deadline = time.monotonic() + 60
    with psycopg.connect(running.owner_url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
        while time.monotonic() < deadline:
            left = connection.execute(
                "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing') AND scheduled_at IS NULL"
            ).fetchone()
            if left == (0,):
                return
            time.sleep(0.1)
