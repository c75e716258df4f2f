"""An export that is imported into an empty org is the same org, whatever was done before; and what happens otherwise."""

import asyncio
import json
import zipfile
from io import BytesIO

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from holdfast.conversations.backends import Backends
from holdfast.exchange.export import Export
from holdfast.exchange.importing import Import
from holdfast.exchange.tables import TABLES, Chosen
from holdfast.kernel.errors import BackendUnavailable, Invalid
from holdfast.kernel.redis import Redis
from holdfast.memories.assets.objects import ObjectStore
from holdfast.unified_recall.documents import READERS
from holdfast.walls.specimens import CANARY, one_of_everything

# An example takes seconds: a failure is shown as it was found, without minutes of making it smaller.
few = settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

USERS = st.sampled_from(["ana", "ben"])
NAMES = st.sampled_from(["a", "b"])
TEXTS = st.text(
    alphabet=st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\x00"),
    min_size=1,
    max_size=20,
).filter(str.strip)
STEP = st.tuples(
    st.sampled_from(
        [
            "memory",
            "retire",
            "block",
            "entry",
            "forget",
            "append",
            "append_redis",
            "pop",
            "store",
            "rewrite",
            "remove",
            "node",
            "item",
            "insight",
            "asset",
            "session",
        ]
    ),
    USERS,
    NAMES,
    TEXTS,
)


class Hand:
    """Does steps of a random history through the API; a step that is refused (nothing to retire) is no matter."""

    def __init__(self, org):
        self.clients = {user: org.client(Holdfast_User=user) for user in ("ana", "ben")}
        self.admin = org.client()
        self.made = {}

    async def prepare(self):
        for kind in ("postgres", "redis"):
            resource = {"resource": "memory", "id": f"in-{kind}", "type": "message_count_based"}
            resource |= {"max_messages": 2, "persistence": {"type": kind}}
            reply = await self.admin.put(f"/memory-resources/in-{kind}", json=resource)
            assert reply.status_code == 201, reply.text
        store = await self.admin.post("/memory_stores", json={"name": "handbook"})
        self.made["store"] = store.json()["id"]

    async def jobs_are_done(self):
        """A flush has a job learn from its session: what it writes must be written before it is exported."""
        for client in self.clients.values():
            while any(
                job["status"] in ("queued", "running")
                for job in (await client.get("/jobs")).json()["data"]
            ):
                await asyncio.sleep(0.05)

    async def do(self, step, user, name, text):
        reply = await getattr(self, f"_{step}")(self.clients[user], user, name, text)
        if reply is not None:
            assert reply.status_code < 500, reply.text
            if reply.status_code in (200, 201) and isinstance(reply.json(), dict):
                self.made[step, user, name] = reply.json().get("id")

    async def _memory(self, api, user, name, text):
        return await api.post("/memories", json={"key": name, "value": text, "tags": [name]})

    async def _retire(self, api, user, name, text):
        return await api.post(f"/memories/{self.made.get(('memory', user, name))}/retire")

    async def _asset(self, api, user, name, text):
        memory = self.made.get(("memory", user, name))
        return await api.post(f"/memories/{memory}/assets?name=f.txt", content=text.encode())

    async def _block(self, api, user, name, text):
        path = "/memory/blocks/archival"
        now = await api.get(path)
        at = now.json()["updated_at"] if now.status_code == 200 else None
        return await api.put(path, json={"content": text, "expected_updated_at": at})

    async def _entry(self, api, user, name, text):
        body = {"content": text, "scope": "user" if name == "a" else "agent"}
        return await api.put(f"/agents/bot/entries/{name}", json=body)

    async def _forget(self, api, user, name, text):
        return await api.delete(f"/agents/bot/entries/{name}?scope=user")

    async def _append(self, api, user, name, text, kind="postgres"):
        body = {"key": name, "messages": [text], "session_id": f"{user}-{name}"}
        return await api.post(f"/conversations/in-{kind}/append", json=body)

    async def _append_redis(self, api, user, name, text):
        return await self._append(api, user, name, text, "redis")

    async def _pop(self, api, user, name, text):
        return await api.post("/conversations/in-postgres/pop", json={"key": name})

    async def _store(self, api, user, name, text):
        body = {"path": f"{user}/{name}", "content": text}
        return await api.post(f"/memory_stores/{self.made['store']}/memories", json=body)

    async def _rewrite(self, api, user, name, text):
        entry = self.made.get(("store", user, name))
        path = f"/memory_stores/{self.made['store']}/memories/{entry}"
        return await api.put(path, json={"content": text, "version": 1})

    async def _remove(self, api, user, name, text):
        entry = self.made.get(("store", user, name))
        await api.delete(f"/memory_stores/{self.made['store']}/memories/{entry}")

    async def _node(self, api, user, name, text):
        return await api.post("/memory-nodes", json={"name": name, "summary": text})

    async def _item(self, api, user, name, text):
        node = self.made.get(("node", user, name))
        return await api.post(f"/memory-nodes/{node}/items", json={"content": text})

    async def _insight(self, api, user, name, text):
        return await api.post("/insights", json={"insight": text})

    async def _session(self, api, user, name, text):
        turn = {"session_id": f"{user}-{name}", "message_id": "m", "message": text}
        return await api.post("/context", json=turn)


@pytest.fixture
async def backends(db, service):
    redis = Redis(service.redis_url)
    yield Backends(db=db, redis=redis)
    await redis.close()


@pytest.fixture
def rows_as_json(owner_connection):
    """Every row of an org that travels, without the org's id, as Postgres says it."""

    def read(org_id):
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        found = {}
        for table in TABLES:
            if table.imported:
                rows = owner_connection.execute(
                    f"SELECT (to_jsonb(t) - %s::text[])::text FROM {table.name} t WHERE org_id = %s ORDER BY t::text",
                    [["org_id", *table.withheld], org_id],
                )
                found[table.name] = sorted(row.replace(org_id, "ORG") for (row,) in rows)
        return found

    return read


async def move(backends, service, tmp_path, source, target, name="x", **options):
    assets, path = ObjectStore(f"{service.data_dir}/assets"), tmp_path / f"{name}.zip"
    await Export(backends, assets, source.operator, Chosen(**options)).write(path)
    return path, await Import(backends, assets, target.operator, READERS).read(path)


def without_keys(rows):
    """Keys are made for each org when it is made, and so is what says so."""
    return {
        table: [row for row in lines if '"kind": "key"' not in row or table != "revisions"]
        for table, lines in rows.items()
    }


@few
@given(steps=st.lists(STEP, min_size=5, max_size=25))
async def test_export_and_import_into_an_empty_org_lose_nothing(
    make_org, backends, service, tmp_path, rows_as_json, steps
):
    source, target = await make_org(), await make_org()
    hand = Hand(source)
    await hand.prepare()
    for step in steps:
        await hand.do(*step)
    await hand.jobs_are_done()
    _, report = await move(backends, service, tmp_path, source, target)
    assert (report.clashed, report.orphaned, report.kept) == ([], [], [])
    assert without_keys(rows_as_json(target.id)) == without_keys(rows_as_json(source.id))

    for user in ("ana", "ben"):
        ours, theirs = source.client(Holdfast_User=user), target.client(Holdfast_User=user)
        for path in (
            "/memories",
            "/memory/blocks/archival/history",
            "/agents/bot/entries",
            "/insights",
        ):
            assert (await theirs.get(path)).json().get("data") == (await ours.get(path)).json().get(
                "data"
            )
        for key in ("a", "b"):
            read = [
                (await api.get(f"/conversations/in-redis/read?key={key}")).json().get("messages")
                for api in (ours, theirs)
            ]
            assert read[0] == read[1]


async def test_one_of_everything_is_found_again_in_another_org(
    make_org, backends, service, tmp_path
):
    source, target = await make_org(), await make_org()
    named = await one_of_everything(source.client(), source.client(Holdfast_User="ana"))
    path, _ = await move(backends, service, tmp_path, source, target)
    ana = target.client(Holdfast_User="ana")
    recalled = (await ana.post("/recall", json={"query": "harbour pilot sleeps at noon"})).json()
    assert CANARY in json.dumps(recalled["data"])
    asset = f"/memories/{named['memory_id']}/assets/{named['asset_id']}"
    assert (await ana.get(asset)).content == (
        await source.client(Holdfast_User="ana").get(asset)
    ).content
    with zipfile.ZipFile(path) as archive:
        text = {name: archive.read(name).decode() for name in archive.namelist()}
    assert CANARY in text["markdown/memories.md"]
    assert CANARY in text["interchange/memory.jsonl"]
    report = json.loads(text["interchange/report.json"])
    assert report["not_held"]["blocks"] == 4
    for secret in ("password_hash", "totp_secret", "digest"):
        assert not any(f'"{secret}"' in t for n, t in text.items() if n.startswith("data/users"))
    assert "data/api_keys.jsonl" not in text


async def test_imported_entries_count_towards_their_quotas(
    make_org, backends, service, tmp_path, owner_connection
):
    source, target = await make_org(), await make_org()
    for key, scope in (("a", "agent"), ("b", "agent"), ("a", "user")):
        body = {"content": "x", "scope": scope}
        made = await source.client(Holdfast_User="ana").put(f"/agents/bot/entries/{key}", json=body)
        assert made.status_code == 201, made.text
    await target.client().put("/agents/bot/entries/own", json={"content": "x"})
    await move(backends, service, tmp_path, source, target)
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [target.id])
    counted = owner_connection.execute(
        "SELECT audience, used FROM entry_quotas WHERE org_id = %s ORDER BY 1", [target.id]
    ).fetchall()
    assert counted == [("agent:bot", 3), ("agent:bot+user:ana", 1)]


async def test_the_newer_version_wins_and_is_reported(make_org, backends, service, tmp_path):
    source, target = await make_org(), await make_org()
    theirs, ours = source.client(Holdfast_User="ana"), target.client(Holdfast_User="ana")
    ids = {}
    for key in ("a", "b", "c"):
        ids[key] = (await theirs.post("/memories", json={"key": key, "value": "first"})).json()[
            "id"
        ]
    await move(backends, service, tmp_path, source, target)
    await theirs.patch(f"/memories/{ids['a']}", json={"value": "newer there"})
    await ours.patch(f"/memories/{ids['b']}", json={"value": "newer here"})
    # Changed on both sides: of two with the same version the one that changed later.
    await theirs.patch(f"/memories/{ids['c']}", json={"value": "second there"})
    await ours.patch(f"/memories/{ids['c']}", json={"value": "second here"})

    assets, path = ObjectStore(f"{service.data_dir}/assets"), tmp_path / "again.zip"
    await Export(backends, assets, source.operator, Chosen()).write(path)
    importing = Import(backends, assets, target.operator, READERS)
    dry = await importing.read(path, dry_run=True)
    assert (await ours.get(f"/memories/{ids['a']}")).json()["value"] == "first"

    report = await Import(backends, assets, target.operator, READERS).read(path)
    assert report.updated == [f"memories/{ids['a']}"] == dry.updated
    assert sorted(report.kept) == sorted(f"memories/{ids[key]}" for key in "bc")
    assert dry.kept == report.kept
    assert (await ours.get(f"/memories/{ids['c']}")).json()["value"] == "second here"
    assert (await ours.get(f"/memories/{ids['a']}")).json()["value"] == "newer there"
    assert (await ours.get(f"/memories/{ids['b']}")).json()["value"] == "newer here"
    history = (await ours.get(f"/memories/{ids['a']}/history")).json()["data"]
    assert [each["version"] for each in history] == [2, 1]
    # And it goes on from there.
    await ours.patch(f"/memories/{ids['a']}", json={"value": "third"})
    found = (await ours.post("/recall", json={"query": "third"})).json()
    assert ids["a"] in json.dumps(found)


async def test_conversations_of_redis_are_refused_whole_where_there_is_no_redis(
    make_org, backends, service, tmp_path, rows_of
):
    source, target = await make_org(), await make_org()
    hand = Hand(source)
    await hand.prepare()
    for step in (("memory", "ana", "a", "tea"), ("append_redis", "ana", "a", "hello")):
        await hand.do(*step)
    assets, path = ObjectStore(f"{service.data_dir}/assets"), tmp_path / "export.zip"
    await Export(backends, assets, source.operator, Chosen()).write(path)

    before, without = rows_of(target.id), Backends(db=backends.db, redis=None)
    with pytest.raises(BackendUnavailable, match="HOLDFAST_REDIS_URL"):
        await Import(without, assets, target.operator, READERS).read(path)

    assert rows_of(target.id) == before


async def test_a_person_gets_what_is_held_about_them_and_nobody_elses(org):
    ana, ben = org.client(Holdfast_User="ana"), org.client(Holdfast_User="ben")
    await ana.post("/memories", json={"key": "tea", "value": "ana drinks green tea"})
    await ben.post("/memories", json={"key": "tea", "value": "ben drinks black tea"})
    reply = await org.client(await org.mint("user", user_id="ana")).get("/users/ana/export")
    assert reply.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(BytesIO(reply.content)) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert "green tea" in text
    assert "black tea" not in text
    other = await org.client(await org.mint("user", user_id="ben")).get("/users/ana/export")
    assert other.status_code == 404
    assert (await org.client().get("/users/nobody/export")).status_code == 404


async def test_what_is_no_export_is_refused_and_changes_nothing(org, backends, service, tmp_path):
    assets = ObjectStore(f"{service.data_dir}/assets")
    importing = Import(backends, assets, org.operator, READERS)

    def zipped(**files):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name.replace("__", "/"), text)
        return path

    (tmp_path / "text").write_text("no zip")
    good = json.dumps({"format": "holdfast", "version": 1, "org_id": "org_x"})
    for path, said in [
        (tmp_path / "missing", "there is no file"),
        (tmp_path / "text", "is not a zip"),
        (zipped(other="x"), "is no export"),
        (zipped(**{"manifest.json": good.replace("1", "9")}), "version 9"),
        (zipped(**{"manifest.json": good, "data/memories.jsonl": "{"}), "line 1: not a JSON object"),
        (zipped(**{"manifest.json": good, "data/insights.jsonl": '{"id": "x"}'}), "data/insights.jsonl, lines 1–1"),
    ]:  # fmt: skip
        with pytest.raises(Invalid, match=said):
            await importing.read(path)
