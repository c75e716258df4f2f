"""Zip out and in, from outside; hostile zips most of all."""

import asyncio
import io
import json
import stat
import struct
import zipfile

import pytest

from holdfast.kernel.recall import passages
from holdfast.stores import entries, transfer
from tests.stores.conftest import make_store


def zipped(files, *, comment=b"", **options) -> bytes:
    """A zip of these files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content, **options)
        archive.comment = comment
    return file.getvalue()


async def bring(store, body, **params):
    return await store.api.post(
        f"{store.path}/import",
        content=body,
        params=params,
        headers={"Content-Type": "application/zip"},
    )


async def contents(store):
    listed = (await store.get("/memories", limit=100)).json()["data"]
    found = [(await store.get(f"/memories/{each['id']}")).json() for each in listed]
    return {each["path"]: (each["content"], each["metadata"]) for each in found}


async def test_an_export_holds_files_at_their_paths_and_comes_back_whole(api, store):
    await store.write("a.md", "Grüße\r\n\u2028", metadata={"k": "v"})
    await store.write("deep/er/語.txt", "x")
    await store.write("deep", "a file where there is also a folder")
    exported = await store.get("/export")
    assert exported.status_code == 200
    assert exported.headers["content-type"] == "application/zip"
    assert "attachment" in exported.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        assert archive.testzip() is None
        assert archive.read("a.md") == "Grüße\r\n\u2028".encode()
        assert archive.read("deep/er/語.txt") == b"x"
        assert len(archive.namelist()) == 4
    other = await make_store(api, "copy")
    done = await bring(other, exported.content)
    assert (done.status_code, done.json()) == (
        200,
        {"created": 3, "updated": 0, "unchanged": 0, "deleted": 0},
    )
    assert await contents(other) == await contents(store)
    again = await bring(other, exported.content, mode="replace")
    assert again.json() == {"created": 0, "updated": 0, "unchanged": 3, "deleted": 0}
    assert len(await other.versions()) == 3


async def test_the_manifest_never_takes_the_name_of_an_entry(api, store):
    names = [".holdfast-manifest.json", ".holdfast-manifest-2.json"]
    for name in names:
        await store.write(
            name, json.dumps({"format": "holdfast-store", "entries": {}}), metadata={"n": name}
        )
    exported = (await store.get("/export")).content
    other = await make_store(api, "copy")
    assert (await bring(other, exported)).json()["created"] == 2
    assert await contents(other) == await contents(store)


async def test_an_upsert_leaves_what_is_not_in_the_zip_and_a_replace_deletes_it(store):
    same = await store.write("same", "1", metadata={"k": "v"})
    await store.write("changed", "old")
    await store.write("absent", "12345")
    done = await bring(store, zipped({"same": "1", "changed": "new!", "fresh": "é"}))
    assert done.json() == {"created": 1, "updated": 1, "unchanged": 1, "deleted": 0}
    await store.must_count(["1", "new!", "é", "12345"])
    assert (await store.get("/memories/by-path/same")).json() == same
    assert (await store.get("/memories/by-path/changed")).json()["version"] == 2
    done = await bring(store, zipped({"same": "1"}), mode="replace")
    assert done.json() == {"created": 0, "updated": 0, "unchanged": 1, "deleted": 3}
    await store.must_count(["1"])
    actions = [version["action"] for version in await store.versions()]
    assert actions[:3] == ["deleted"] * 3
    assert sorted(actions[3:5]) == ["created", "updated"]
    assert (await bring(store, zipped({}), mode="replace")).json()["deleted"] == 1
    assert (await bring(store, zipped({"a": "b"}), mode="merge")).status_code == 400


async def test_folders_in_a_zip_are_only_where_files_lie(store):
    done = await bring(store, zipped([("dir/", ""), ("dir/a", "x")]))
    assert done.json()["created"] == 1
    assert list(await contents(store)) == ["dir/a"]


def linked() -> bytes:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped([("ok", "x"), (info, "/etc/passwd")])


def duplicated() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate"):
        return zipped([("a", "1"), ("a", "2")])


def with_raw_name(name: bytes, *, flag: int) -> bytes:
    body = bytearray(zipped({"N" * len(name): "x"}))
    body = body.replace(b"N" * len(name), name)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = body.index(signature) + offset
        body[at : at + 2] = struct.pack("<H", flag)
    return bytes(body)


def lying_size() -> bytes:
    """Declares less than it unpacks to."""
    body = bytearray(zipped({"bomb": "x" * 100_000}))
    at = body.index(b"PK\x01\x02") + 24
    body[at : at + 4] = struct.pack("<I", 10)
    at = body.index(b"PK\x03\x04") + 22
    body[at : at + 4] = struct.pack("<I", 10)
    return bytes(body)


def encrypted() -> bytes:
    body = bytearray(zipped({"a": "x"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(signature) + offset] |= 1
    return bytes(body)


HOSTILE = {
    "not a zip": lambda: b"PK nothing",
    "empty": lambda: b"",
    "cut short": lambda: zipped({"a": "x" * 500})[:-30],
    "traversal": lambda: zipped({"ok": "x", "../up": "x"}),
    "deep traversal": lambda: zipped({"a/../../up": "x"}),
    "absolute": lambda: zipped({"/etc/passwd": "x"}),
    "dot": lambda: zipped({"./a": "x"}),
    "traversing folder": lambda: zipped([("../", ""), ("a", "x")]),
    "empty segment": lambda: zipped({"a//b": "x"}),
    "control character": lambda: zipped({"a\nb": "x"}),
    "not NFC": lambda: zipped({"cafe\u0301": "x"}),
    "nul in a name": lambda: with_raw_name(b"a\x00b", flag=0),
    "link": linked,
    "duplicates": duplicated,
    "name not UTF-8, said to be": lambda: with_raw_name(b"\xff\xfe", flag=0x800),
    "name not UTF-8": lambda: with_raw_name(b"\xff\xfe", flag=0),
    "content not UTF-8": lambda: zipped({"ok": "x", "a": b"\xff\xfe"}),
    "content with nul": lambda: zipped({"a": "a\x00b"}),
    "surrogates": lambda: zipped({"a": b"\xed\xa0\x80"}),
    "blank": lambda: zipped({"ok": "x", "a": " \n"}),
    "blank, with a manifest": lambda: zipped(
        {"a": " \n", ".holdfast-manifest.json": '{"format":"holdfast-store","entries":{}}'}
    ),
    "blank over what is there": lambda: zipped(
        {"there": " ", ".holdfast-manifest.json": '{"format":"holdfast-store","entries":{}}'}
    ),
    "encrypted": encrypted,
    "lying about its size": lying_size,
    "lzma": lambda: zipped({"a": "x"}, compress_type=zipfile.ZIP_LZMA),
    "bad metadata": lambda: zipped(
        {"a": "x", ".holdfast-manifest.json": '{"format":"holdfast-store","entries":{"a":{"metadata":{"k":1}}}}'}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_zip_is_refused_whole(store, name):
    await store.write("there", "before")
    refused = await bring(store, HOSTILE[name](), mode="replace")
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid"), refused.text
    assert await contents(store) == {"there": ("before", {})}
    await store.must_count(["before"])


async def test_an_export_with_a_blank_entry_changes_nothing_where_it_came_from(store, org, db):
    caller = org.caller()
    await entries.create_entry(db, caller, store.id, "empty", "", may_be_blank=True)
    exported = (await store.get("/export")).content
    assert (await bring(store, exported, mode="replace")).json() == {
        "created": 0, "updated": 0, "unchanged": 1, "deleted": 0,
    }  # fmt: skip
    elsewhere = await make_store(store.api, "elsewhere")
    assert (await bring(elsewhere, exported)).json()["detail"] == "zip: 'empty' is blank"


async def test_names_without_the_flag_are_read_as_utf8(store):
    done = await bring(store, with_raw_name("é".encode(), flag=0))
    assert done.status_code == 200
    assert list(await contents(store)) == ["é"]


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        (lambda: zipped({"a": "x" * 102_401}), 102_400),
        (lambda: zipped({"x" * 1025: "x"}), 1024),
        (lambda: zipped({f"f{n}": "x" * 102_400 for n in range(656)}), 64 * 1024 * 1024),
    ],
    ids=["a file", "a path", "the whole"],
)
async def test_what_is_over_a_limit_says_which(store, body, limit):
    await store.write("there", "before")
    refused = await bring(store, body())
    assert (refused.status_code, refused.json()["code"]) == (422, "limit_exceeded"), refused.text
    assert refused.json()["limit"] == limit
    await store.must_count(["before"])


async def test_64_mib_unpacked_fit_exactly(store):
    files = {f"f{n}": "x" * 102_400 for n in range(655)} | {"rest": "y" * 36_864}
    assert sum(map(len, files.values())) == 64 * 1024 * 1024
    one_more = {**files, "rest": "y" * 36_865}
    assert (await bring(store, zipped(one_more))).json()["actual"] == 64 * 1024 * 1024 + 1
    done = await bring(store, zipped(files))
    assert (done.status_code, done.json()["created"]) == (200, 656), done.text
    store_now = await store.read()
    assert (store_now["entry_count"], store_now["total_size"]) == (656, 64 * 1024 * 1024)
    # Otherwise the worker would index and embed 84,000 passages beside the other tests.
    assert (await store.api.delete(store.path)).status_code == 204


async def test_a_body_over_the_cap_is_not_even_read(store):
    refused = await bring(store, b"x" * (96 * 1024 * 1024 + 1))
    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")


async def test_an_import_is_applied_once_under_its_key(store):
    headers = {"Idempotency-Key": "import"}
    body = zipped({"a": "x"})
    first = await store.api.post(f"{store.path}/import", content=body, headers=headers)
    second = await store.api.post(f"{store.path}/import", content=body, headers=headers)
    assert (
        first.json() == second.json() == {"created": 1, "updated": 0, "unchanged": 0, "deleted": 0}
    )
    assert second.headers["idempotency-replayed"] == "true"


async def test_imports_and_writers_at_once_leave_exact_counts(store):
    bodies = [zipped({f"p{n % 4}": "x" * n, f"q{n}": "y"}) for n in range(1, 7)]
    answers = await asyncio.gather(
        *(bring(store, body) for body in bodies),
        *(store.create(f"p{n % 4}", "zz") for n in range(6)),
    )
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    await store.must_count([content for content, _ in (await contents(store)).values()])


async def test_an_export_is_of_one_moment(store):
    await bring(store, zipped({f"f{n:03}": "start" for n in range(450)}))
    first = (await store.get("/memories/by-path/f000")).json()
    last = (await store.get("/memories/by-path/f449")).json()

    async def rewrite():
        mine, theirs = first, last
        for n in range(8):
            mine = await store.update(mine, f"round {n}")
            theirs = await store.update(theirs, f"round {n}")

    exports = []

    async def export():
        for _ in range(4):
            exports.append((await store.get("/export")).content)

    await asyncio.gather(rewrite(), export())
    for body in exports:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            one, other = archive.read("f000").decode(), archive.read("f449").decode()
            rounds = [-1 if each == "start" else int(each[6:]) for each in (one, other)]
            assert rounds[0] - rounds[1] in (0, 1)


async def test_the_service_answers_others_while_it_imports(store, anonymous):
    body = zipped({f"d{n % 7}/f{n}": f"note {n} about tea" for n in range(1500)})
    importing = asyncio.create_task(bring(store, body))
    answered = 0
    while not importing.done():
        assert (await anonymous.get("/healthz")).status_code == 200
        answered += 1
    assert (await importing).json()["created"] == 1500
    # A service that did nothing else meanwhile would have answered once before and once after.
    assert answered > 10


async def test_a_large_import_is_indexed_by_a_few_jobs(store, org, db, monkeypatch):
    monkeypatch.setattr(passages, "MAX_IN_TRANSACTION", 5)
    files = {f"f{n:03}": f"the word number{n:03}" for n in range(205)}
    done = await transfer.import_store(db, org.caller(), store.id, zipped(files), mode="upsert")
    assert done.created == 205
    jobs = (await store.api.get("/jobs", params={"limit": 100})).json()["data"]
    assert [each["kind"] for each in jobs] == ["index", "index"]

    async def found(word):
        body = {"query": word, "mode": "lexical", "limit": 1}
        data = (await store.api.post(f"{store.path}/recall", json=body)).json()["data"]
        return bool(data)

    assert await found("number004")
    async with asyncio.timeout(60):
        while not (await found("number005") and await found("number204")):
            await asyncio.sleep(0.1)


async def test_a_small_import_is_found_by_meaning_at_once(store):
    await bring(store, zipped({"a.md": "Ana drinks green tea.", "b.md": "The printer is broken."}))
    asked = {"query": "favourite beverage", "mode": "semantic", "limit": 1}
    data = (await store.api.post(f"{store.path}/recall", json=asked)).json()["data"]
    assert "green tea" in json.dumps(data)


async def test_what_a_replace_deletes_is_found_no_more(store):
    await bring(store, zipped({"a": "quokka", "b": "lighthouse"}))
    done = await bring(store, zipped({"b": "lighthouse"}), mode="replace")
    assert done.json() == {"created": 0, "updated": 0, "unchanged": 1, "deleted": 1}
    for word, hits in (("quokka", 0), ("lighthouse", 1)):
        asked = {"query": word, "mode": "lexical"}
        data = (await store.api.post(f"{store.path}/recall", json=asked)).json()["data"]
        assert len(data) == hits
