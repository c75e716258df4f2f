"""Who may export whom, what goes along with an agent, and files that were damaged on their way."""

import zipfile

import pytest

from holdfast.conversations.backends import Backends
from holdfast.exchange import service as exchanging
from holdfast.exchange.importing import Import
from holdfast.exchange.tables import Chosen
from holdfast.kernel.errors import (
    AgentNotFound,
    BackendUnavailable,
    Invalid,
    NotFound,
    StepUpRequired,
)
from holdfast.memories.assets.objects import ObjectStore
from holdfast.unified_recall.documents import READERS
from tests.exchange.test_round_trip import backends

__all__ = ["backends"]


@pytest.fixture
def assets(service):
    return ObjectStore(f"{service.data_dir}/assets")


async def exported(backends, assets, org, path, **chosen):
    await exchanging.export(backends, assets, org.operator, Chosen(**chosen), path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(("json", "jsonl", "md"))}  # fmt: skip


async def test_an_agents_export_has_its_own_entries_and_nobody_elses(
    org, backends, assets, tmp_path
):
    api = org.client()
    await api.put("/agents/bot/entries/a", json={"content": "the bot knows of harbours"})
    await api.put("/agents/other/entries/a", json={"content": "the other knows of vineyards"})
    await api.post("/memories", json={"key": "k", "value": "somebody's memory of orchards"})
    files = await exported(backends, assets, org, tmp_path / "a.zip", agent_id="bot")
    everything = "".join(files.values())
    assert "harbours" in everything
    assert "vineyards" not in everything
    assert "orchards" not in everything
    assert '"id": "bot"' in files["data/agents.jsonl"].replace('":"', '": "')
    with pytest.raises(AgentNotFound):
        await exported(backends, assets, org, tmp_path / "b.zip", agent_id="nobody")
    with pytest.raises(NotFound):
        await exported(backends, assets, org, tmp_path / "c.zip", user_id="nobody")


def test_who_may_export_whom(make_caller):
    allowed = [
        make_caller("service", user="owner"),
        make_caller("operator", user=None),
        make_caller("user", user="ana"),
        make_caller("session", user="ana"),
    ]
    for caller in allowed:
        exchanging.must_be_allowed(caller, "ana")
    for caller in (make_caller("user", user="ben"), make_caller("session", user="ben"), make_caller("agent", user="ana")):  # fmt: skip
        with pytest.raises(NotFound):
            exchanging.must_be_allowed(caller, "ana")
    with pytest.raises(StepUpRequired):
        exchanging.must_be_allowed(make_caller("session", user="owner", owner=True), "ana")


@pytest.fixture
def make_caller():
    from holdfast.kernel.caller import Caller

    def make(credential, *, user, **more):
        return Caller(
            org_id="org_x",
            credential=credential,
            credential_id="key_x",
            workspace_id="default",
            user_id=user,
            **more,
        )

    return make


async def test_a_damaged_file_is_refused_and_changes_nothing(
    make_org, backends, assets, tmp_path, rows_of
):
    source, target = await make_org(), await make_org()
    await source.client().post("/memories", json={"key": "k", "value": "a memory that travels"})
    good = tmp_path / "good.zip"
    await exported(backends, assets, source, good)
    with zipfile.ZipFile(good) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}

    def with_changed(name: str, content: bytes):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for each, old in files.items():
                archive.writestr(each, content if each == name else old)
        return path

    cut = tmp_path / "cut.zip"
    cut.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    flipped = bytearray(with_changed("", b"").read_bytes())
    place = flipped.index(b"a memory that travels")
    flipped[place : place + 8] = b"XXXXXXXX"  # the checksum of the member is of what was there
    spoiled = tmp_path / "spoiled.zip"
    spoiled.write_bytes(bytes(flipped))

    before = rows_of(target.id)
    importing = Import(backends, assets, target.operator, READERS)
    for path, said in [
        (cut, "is not a zip"),
        (spoiled, "cannot be read after line"),
        (with_changed("data/memories.jsonl", b"\xff\xfe\n"), "memories.jsonl cannot be read"),
        (with_changed("data/memories.jsonl", b"[1]\n"), "line 1: not a JSON object"),
        (with_changed("manifest.json", b"[]"), "is no export"),
        (with_changed("manifest.json", b"{"), "is no export"),
    ]:
        with pytest.raises(Invalid, match=said):
            await importing.read(path)
    assert rows_of(target.id) == before
    report = await Import(backends, assets, target.operator, READERS).read(good)
    assert report.tables["memories"] == {"created": 1}


async def test_conversations_in_redis_need_a_redis(make_org, backends, db, assets, tmp_path):
    source, target = await make_org(), await make_org()
    resource = {"resource": "memory", "id": "chat", "type": "buffer", "max_messages": 9}
    resource |= {"persistence": {"type": "redis"}}
    api = source.client()
    assert (await api.put("/memory-resources/chat", json=resource)).status_code == 201
    await api.post("/conversations/chat/append", json={"key": "k", "messages": ["kept in Redis"]})
    path = tmp_path / "a.zip"
    await exported(backends, assets, source, path)
    with pytest.raises(BackendUnavailable, match="HOLDFAST_REDIS_URL"):
        await Import(Backends(db=db, redis=None), assets, target.operator, READERS).read(path)
    # Then it is imported again, with one: what is there already stays.
    report = await Import(backends, assets, target.operator, READERS).read(path)
    assert report.redis_conversations == 1
    assert report.clashed == []
    read = await target.client().get("/conversations/chat/read?key=k")
    assert "kept in Redis" in read.text
