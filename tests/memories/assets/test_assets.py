"""Assets of memories, from outside and in the object store."""

import asyncio
import base64
import hashlib
import os
import signal
from datetime import timedelta
from pathlib import Path

import httpx
import psycopg
import pytest

from holdfast.bootstrap import create_org
from holdfast.engine import find_running
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable, LimitExceeded
from holdfast.memories.assets import service as assets
from holdfast.memories.assets.objects import ObjectStore
from tests.conftest import serving
from tests.memories.calls import save
from tests.round_trips import behind

MIB = 1024 * 1024


async def attach(
    api, memory, content=b"hello", name="brief.txt", content_type="text/plain", **headers
):
    return await api.post(
        f"/memories/{memory['id']}/assets",
        params={"name": name},
        content=content,
        headers={"Content-Type": content_type, **headers},
    )


async def test_a_file_comes_back_byte_for_byte_as_an_attachment(api):
    memory = await save(api)
    content = os.urandom(3 * MIB + 17)
    made = await attach(api, memory, content, name='naïve "x".html', content_type="text/html")
    asset = made.json()
    assert made.status_code == 201, made.text
    assert asset["id"].startswith("asset_")
    assert (asset["name"], asset["content_type"], asset["size"]) == (
        'naïve "x".html',
        "text/html",
        len(content),
    )
    assert asset["sha256"] == hashlib.sha256(content).hexdigest()
    got = await api.get(f"/memories/{memory['id']}/assets/{asset['id']}")
    assert got.content == content
    assert got.headers["content-type"].startswith("text/html")
    assert (
        got.headers["content-disposition"]
        == "attachment; filename*=UTF-8''na%C3%AFve%20%22x%22.html"
    )
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"].startswith("sandbox")
    listed = (await api.get(f"/memories/{memory['id']}/assets")).json()
    assert listed["data"] == [asset]
    row = (await api.get(f"/memories/{memory['id']}")).json()
    assert (row["assets"], row["version"]) == ([asset], 2)


async def test_a_file_of_25_mib_fits_and_one_byte_more_does_not(api, service):
    memory = await save(api)
    fits = await attach(api, memory, bytes(25 * MIB))
    assert (fits.status_code, fits.json()["size"]) == (201, 25 * MIB)
    for body in (bytes(25 * MIB + 1), _in_chunks(25 * MIB + 1)):
        over = await attach(api, memory, body)
        assert (over.status_code, over.json()["code"]) == (413, "payload_too_large")
    assert len((await api.get(f"/memories/{memory['id']}/assets")).json()["data"]) == 1
    org_id = next(
        path
        for path in Path(service.data_dir, "assets").iterdir()
        if (path / fits.json()["id"]).exists()
    )
    assert [path.name for path in org_id.iterdir()] == [fits.json()["id"]]


async def _in_chunks(size):
    while size > 0:
        yield bytes(min(size, MIB))
        size -= MIB


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads Linux' /proc")
async def test_an_upload_takes_constant_memory(data_dir):
    """On a service of its own: what other tests ask of the shared one would count too."""
    with serving(data_dir) as (ready, process):

        def peak_kib():
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            return int(peak.split()[1])

        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1", timeout=60) as own:
            own.headers["Authorization"] = f"Bearer {ready['api_key']}"
            memory = await save(own)
            await attach(own, memory, _in_chunks(2 * MIB))
            # The model's file counts as memory where it is read.
            await own.post("/memories/recall", json={"q": "tea", "mode": "semantic"})
            Path(f"/proc/{process.pid}/clear_refs").write_text("5")
            before = peak_kib()
            sent = await asyncio.gather(
                *(attach(own, memory, _in_chunks(25 * MIB)) for _ in range(4))
            )
            assert [each.status_code for each in sent] == [201] * 4
            assert peak_kib() - before < 64 * 1024  # of 100 MiB


async def test_a_memory_has_as_many_assets_as_the_limit_says_and_no_more(
    api, org, db, tmp_path, monkeypatch
):
    monkeypatch.setattr(assets, "MAX_ASSETS", 2)
    memory, store = await save(api), ObjectStore(str(tmp_path))

    async def body():
        yield b"x"

    async def attach_here(name):
        return await assets.attach(db, store, org.caller(), memory["id"], body(), name=name)

    kept = [(await attach_here(name)).id for name in ("a", "b")]
    with pytest.raises(LimitExceeded) as refused:
        await attach_here("c")
    assert refused.value.facts == {"limit": 2, "actual": 3}
    assert sorted(path.name for path in tmp_path.rglob("asset_*")) == sorted(kept)
    shown = (await api.get(f"/memories/{memory['id']}/assets")).json()["data"]
    assert {each["name"] for each in shown} == {"a", "b"}


async def test_a_digest_that_does_not_match_is_refused_and_nothing_is_kept(api):
    memory = await save(api)
    right = base64.b64encode(hashlib.sha256(b"hello").digest()).decode()
    wrong = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    refused = await attach(api, memory, b"hello", **{"Content-Digest": f"sha-256=:{wrong}:"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (await api.get(f"/memories/{memory['id']}/assets")).json()["data"] == []
    assert (
        await attach(api, memory, b"hello", **{"Content-Digest": f"sha-256=:{right}:"})
    ).status_code == 201


async def test_an_idempotency_key_attaches_once(api):
    memory = await save(api)
    first = await attach(api, memory, **{"Idempotency-Key": "k"})
    again = await attach(api, memory, **{"Idempotency-Key": "k"})
    assert again.json() == first.json()
    assert len((await api.get(f"/memories/{memory['id']}/assets")).json()["data"]) == 1
    other = await attach(api, memory, b"other", **{"Idempotency-Key": "k"})
    assert other.json()["code"] == "idempotency_mismatch"
    over = await attach(api, memory, bytes(25 * MIB + 1), **{"Idempotency-Key": "k2"})
    assert over.status_code == 413


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 256])
async def test_a_name_that_is_no_name_is_refused(api, name):
    memory = await save(api)
    assert (await attach(api, memory, name=name)).status_code == 422


async def test_assets_are_seen_by_those_who_see_the_memory(org, api):
    memory = await save(api)
    asset = (await attach(api, memory)).json()
    other = org.client(holdfast_user="bob")
    path = f"/memories/{memory['id']}/assets"
    assert (await attach(other, memory)).status_code == 404
    assert (await other.get(path)).status_code == 404
    assert (await other.get(f"{path}/{asset['id']}")).status_code == 404
    own = await save(other)
    assert (await other.get(f"/memories/{own['id']}/assets/{asset['id']}")).status_code == 404


async def test_deleting_an_asset_takes_a_step_up(api, sign_in, service):
    memory = await save(api)
    asset = (await attach(api, memory)).json()
    path = f"/memories/{memory['id']}/assets/{asset['id']}"
    assert (await api.delete(path)).json()["code"] == "step_up_required"
    unconfirmed = await sign_in("owner", step_up=False)
    assert (await unconfirmed.delete(path)).json()["code"] == "step_up_required"
    browser = await sign_in("owner")
    assert (await browser.delete(path)).status_code == 204
    assert (await api.get(path)).status_code == 404
    assert (await browser.delete(path)).status_code == 404
    assert not list(Path(service.data_dir, "assets").rglob(f"{asset['id']}*"))


# --- crashes and other stores ----------------------------------------------------------------------------------------


async def test_a_crash_between_object_and_row_serves_nothing_and_the_sweep_takes_the_object(
    data_dir,
):
    folder = data_dir
    with serving(folder) as (ready, process):
        headers = {"Authorization": f"Bearer {ready['api_key']}"}
        async with httpx.AsyncClient(
            base_url=f"{ready['url']}/api/v1", headers=headers, timeout=30
        ) as api:
            memory = await save(api)
            kept = (await attach(api, memory, b"kept")).json()
            owner_url = find_running(folder).owner_url
            with psycopg.connect(owner_url) as lock:
                # Writers of rows wait, readers do not: the object comes in, its row does not.
                lock.execute("LOCK TABLE memories IN EXCLUSIVE MODE")
                upload = asyncio.create_task(attach(api, memory, b"lost"))
                while len(objects := _objects(folder)) < 2:
                    await asyncio.sleep(0.02)
                process.send_signal(signal.SIGKILL)
                process.wait(30)
            with pytest.raises(httpx.HTTPError):
                await upload
    orphan = next(path for path in objects if path.name != kept["id"])
    staged = orphan.with_name(f"{orphan.name}#1")
    staged.write_bytes(b"cut short")
    with serving(folder) as (ready, _):
        async with httpx.AsyncClient(
            base_url=f"{ready['url']}/api/v1", headers=headers, timeout=30
        ) as api:
            assert (await api.get(f"/memories/{memory['id']}/assets")).json()["data"] == [kept]
            assert (
                await api.get(f"/memories/{memory['id']}/assets/{orphan.name}")
            ).status_code == 404
            db = Database(find_running(folder).app_url, min_size=1, max_size=2)
            await db.open()
            store = ObjectStore(str(folder / "assets"))
            assert (
                await assets.sweep(db, store) == []
            )  # too young: it might be about to get its row
            assert await assets.sweep(db, store, orphan_after=timedelta(0)) == [
                f"{orphan.parent.name}/{orphan.name}"
            ]
            await db.close()
            assert not staged.exists()
            assert [path.name for path in _objects(folder)] == [kept["id"]]
            assert (
                await api.get(f"/memories/{memory['id']}/assets/{kept['id']}")
            ).content == b"kept"


async def test_a_file_whose_row_was_committed_unheard_stays(service, org, api, db, tmp_path):
    """The answer to COMMIT is lost: nobody knows whether the row is there, so the file must not go."""

    def make(server):
        async def take(reader, writer):
            from_server, to_server = await asyncio.open_unix_connection(str(server))
            committing = asyncio.Event()

            async def ask():
                while data := await reader.read(65_536):
                    if b"COMMIT" in data:
                        committing.set()
                    to_server.write(data)

            async def answer():
                while data := await from_server.read(65_536):
                    if committing.is_set():
                        break
                    writer.write(data)
                writer.close()
                to_server.close()

            await asyncio.gather(ask(), answer(), return_exceptions=True)

        return take

    async def chunks():
        yield b"kept"

    id = (await save(api))["id"]
    store = ObjectStore(str(tmp_path))
    async with behind(service.app_url, make) as url:
        cut_off = Database(url, min_size=1, max_size=1)
        await cut_off.open()
        with pytest.raises(BackendUnavailable):
            await assets.attach(cut_off, store, org.caller(), id, chunks(), name="notes")
        await cut_off.close()
    [asset] = (await api.get(f"/memories/{id}")).json()["assets"]
    found = await assets.download(db, store, org.caller(), id, asset["id"])
    assert b"".join([bytes(chunk) async for chunk in found.chunks]) == b"kept"


async def test_the_folder_of_assets_is_its_owners_alone(service):
    assert Path(service.data_dir, "assets").stat().st_mode & 0o777 == 0o700


async def test_a_folder_may_be_given_as_a_url(tmp_path):
    store = ObjectStore(f"file://{tmp_path}/kept")

    async def body():
        yield b"x"

    await store.put("org/asset", body())
    assert (tmp_path / "kept" / "org" / "asset").read_bytes() == b"x"
    await store.check()


def _objects(folder):
    return [path for path in (folder / "assets").rglob("asset_*") if "#" not in path.name]


@pytest.fixture
def bucket(monkeypatch):
    """A bucket on an S3 server of this test."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    httpx.put(f"http://{host}:{port}/holdfast-assets")
    yield "s3://holdfast-assets/of/this"
    server.stop()


async def test_assets_live_in_an_s3_bucket_by_url(bucket, db):
    store = ObjectStore(bucket)
    org_id, _ = await create_org(db, "s3")
    caller = _caller(org_id)
    memory = await _save_in_process(db, caller)
    content = os.urandom(11 * MIB)  # more than one part

    async def body(size=len(content)):
        for start in range(0, size, 100_000):
            yield content[start : start + 100_000]

    asset = await assets.attach(db, store, caller, memory.id, body(), name="big.bin")
    assert (asset.size, asset.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    found = await assets.download(db, store, caller, memory.id, asset.id)
    assert b"".join([chunk async for chunk in found.chunks]) == content

    async def orphan():
        yield b"orphan"

    await store.put(f"{org_id}/asset_{'0' * 32}", orphan())
    assert len([each async for each in store.list()]) == 2
    assert await assets.sweep(db, store, orphan_after=timedelta(seconds=-5)) == [
        f"{org_id}/asset_{'0' * 32}"
    ]
    assert [each.path async for each in store.list()] == [f"{org_id}/{asset.id}"]
    assert await store.get(f"{org_id}/asset_{'0' * 32}") is None
    await assets.drop_objects(store, caller, [asset.id, asset.id])


def _caller(org_id):
    from holdfast.kernel.caller import operator

    return operator(org_id)


async def _save_in_process(db, caller):
    from holdfast.memories import saving as memories
    from holdfast.memories.model import NewMemory

    return await memories.save_memory(db, caller, NewMemory(fields={"key": "k", "value": "v"}))


async def test_a_store_that_cannot_be_reached_is_a_backend_failure(monkeypatch, db):
    from holdfast.kernel.errors import BackendUnavailable

    for name, value in {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
                        "AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t"}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    store = ObjectStore("s3://nowhere/at-all")

    async def body():
        yield b"x"

    with pytest.raises(BackendUnavailable):
        await store.put("org/asset", body())
