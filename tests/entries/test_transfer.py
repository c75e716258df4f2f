"""An agent's entries as a zip of markdown, and back."""

import io
import random
import stat
import warnings
import zipfile
from contextlib import suppress
from urllib.parse import quote

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.entries import markdown, service, transfer
from holdfast.entries.model import CONVERSATION, WORKSPACE, Entry, Filter, NewEntry
from holdfast.kernel.errors import Invalid
from holdfast.kernel.sight import Audience
from tests.entries.conftest import START, fresh_caller

AGENT = "/agents/bot"


def page(key="k", content="x", category="core", agent="bot", **fields):
    extra = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\nagent_id: {agent}\nkey: {key}\ncategory: {category}\n{extra}---\n{content}"


def zipped(*files, **options):
    """A zip of (name or ZipInfo, content)."""
    out = io.BytesIO()
    with (
        warnings.catch_warnings(
            action="ignore"
        ),  # of names that are there twice, which is the point of some
        zipfile.ZipFile(out, "w", options.get("method", zipfile.ZIP_DEFLATED)) as archive,
    ):
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


async def export(api):
    answer = await api.get(f"{AGENT}/entries-export")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    return answer.content


async def load(api, archive, **params):
    return await api.post(f"{AGENT}/entries-import", content=archive, params=params)


async def everything(api):
    return (await api.get(f"{AGENT}/entries")).json()["data"]


async def test_the_zip_holds_the_agents_own_entries_as_readable_pages(api):
    run = (await api.post(f"{AGENT}/runs")).json()["run_id"]
    made = (
        await api.put(f"{AGENT}/entries/a%2Fb%20c", json={"content": "# Hi\n", "tags": ["t", "u"]})
    ).json()
    await api.put(f"{AGENT}/entries/d", json={"content": "x", "category": "daily"})
    await api.put(f"{AGENT}/entries/w", json={"content": "x", "category": "workspace"})
    await api.put(
        f"{AGENT}/entries/s", json={"content": "x", "category": "conversation", "run_id": run}
    )
    with zipfile.ZipFile(io.BytesIO(await export(api))) as archive:
        assert sorted(archive.namelist()) == ["core/a%2Fb%20c.md", "daily/d.md"]
        assert archive.read("core/a%2Fb%20c.md").decode() == (
            '---\nagent_id: bot\nkey: "a/b c"\ncategory: core\ntags: ["t", "u"]\n'
            f"created_at: {made['created_at']}\nupdated_at: {made['updated_at']}\n---\n# Hi\n"
        )
    assert await export(api) == await export(api)


async def test_export_then_import_changes_nothing(api):
    for n in range(5):
        await api.put(f"{AGENT}/entries/k{n}", json={"content": f"c{n}", "tags": ["t"]})
    before, archive = await everything(api), await export(api)
    for mode in ("upsert", "replace"):
        answer = await load(api, archive, mode=mode)
        assert answer.status_code == 200, answer.text
        result = answer.json()
        assert (result["upserted"], result["unchanged"], result["deleted"]) == (0, 5, 0)
    assert await everything(api) == before


async def test_an_import_into_an_empty_agent_brings_back_the_times(api, make_org):
    for n in range(3):
        await api.put(f"{AGENT}/entries/k{n}", json={"content": f"c{n}"})
        await api.put(f"{AGENT}/entries/k{n}", json={"content": f"c{n}!"})
    before, archive = await everything(api), await export(api)
    other = (await make_org()).client()
    assert (await load(other, archive)).json()["upserted"] == 3
    for one in (other, api):
        for n in range(3):
            await api.delete(f"{AGENT}/entries/k{n}")
        await load(one, archive)
        after = await everything(one)
        for name in ("key", "content", "tags", "category", "created_at", "updated_at", "size"):
            assert [e[name] for e in after] == [e[name] for e in before]
    assert (await api.get(f"{AGENT}/history/k0")).json()["data"][0]["action"] == "imported"


async def test_an_import_stores_what_differs_and_replace_forgets_what_is_lacking(api):
    for key in ("same", "changed", "lacking"):
        await api.put(f"{AGENT}/entries/{key}", json={"content": "x"})
    await api.put(f"{AGENT}/entries/w", json={"content": "x", "category": "workspace"})
    archive = zipped(
        ("core/same.md", page("same")),
        ("core/changed.md", page("changed", "y")),
        ("note/new.md", page("new", category="note", tags="[a, 'b c']")),
    )
    first = (await load(api, archive)).json()
    assert (first["upserted"], first["unchanged"], first["deleted"]) == (2, 1, 0)
    entries = {entry["key"]: entry for entry in await everything(api)}
    assert sorted(entries) == ["changed", "lacking", "new", "same", "w"]
    assert [entries[k]["version"] for k in ("changed", "same")] == [2, 1]
    assert entries["new"]["tags"] == ["a", "b c"]
    second = (await load(api, archive, mode="replace")).json()
    assert (second["upserted"], second["unchanged"], second["deleted"]) == (0, 3, 1)
    assert sorted(e["key"] for e in await everything(api)) == ["changed", "new", "same", "w"]
    back = await api.post(f"{AGENT}/restore/lacking", json={"version": 1})
    assert back.status_code == 201


async def test_a_page_changed_by_hand_moves_its_entry_to_another_category(api):
    await api.put(f"{AGENT}/entries/k", json={"content": "x"})
    archive = zipped(("note/k.md", page("k", "x", "note")), ("note/", ""))
    assert (await load(api, archive)).json()["upserted"] == 1
    entry = (await api.get(f"{AGENT}/entries/k")).json()
    assert (entry["category"], entry["version"]) == ("note", 2)


async def test_what_expired_since_the_export_stays_gone_and_the_future_is_not_believed(api):
    old, late = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
    archive = zipped(
        ("daily/old.md", page("old", category="daily", updated_at=old)),
        ("core/late.md", page("late", created_at=late, updated_at=late)),
    )
    result = (await load(api, archive)).json()
    assert (result["upserted"], result["expired"]) == (1, 1)
    entry = (await api.get(f"{AGENT}/entries/late")).json()
    assert entry["updated_at"] < "2999"
    assert (await api.get(f"{AGENT}/entries/old")).status_code == 404


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


GOOD = ("core/good.md", page("good"))
HOSTILE = {
    "another agent's page": zipped(GOOD, ("core/k.md", page(agent="other"))),
    "no agent": zipped(GOOD, ("core/k.md", "---\nkey: k\ncategory: core\n---\nx")),
    "a step up": zipped(GOOD, ("../k.md", page(category='".."'))),
    "a path from the root": zipped(GOOD, ("/core/k.md", page())),
    "a deeper path": zipped(GOOD, ("core/a/k.md", page("a/k"))),
    "a backslash": zipped(GOOD, ("core\\k.md", page())),
    "no folder": zipped(GOOD, ("k.md", page())),
    "no markdown": zipped(GOOD, ("core/k.txt", page())),
    "a path that is not its key's": zipped(GOOD, ("core/other.md", page())),
    "a path that is not its category's": zipped(GOOD, ("note/k.md", page())),
    "a link": zipped(GOOD, (link("core/k.md"), page())),
    "a folder that is a step up": zipped(GOOD, ("core/../", "")),
    "two files of one name": zipped(GOOD, ("core/k.md", page()), ("core/k.md", page())),
    "two files of one key": zipped(GOOD, ("core/k.md", page()), ("note/k.md", page(category="note"))),
    "the same name spelt twice": zipped(GOOD, ("core/k.md", page()), ("core/%6B.md", page())),
    "not UTF-8": zipped(GOOD, ("core/k.md", page().encode() + b"\xff")),
    "U+0000": zipped(GOOD, ("core/k.md", page(content="a\x00b"))),
    "nothing in it": zipped(GOOD, ("core/k.md", page(content=""))),
    "too large": zipped(GOOD, ("core/k.md", page(content="x" * 16_385))),
    "a bomb": lambda: zipped(GOOD, ("core/k.md", page(content="x" * 50_000_000))),
    "no front matter": zipped(GOOD, ("core/k.md", "just text")),
    "an open front matter": zipped(GOOD, ("core/k.md", "---\nkey: k\n")),
    "a field it does not know": zipped(GOOD, ("core/k.md", page(colour="red"))),
    "tags that are no list": zipped(GOOD, ("core/k.md", page(tags="{a: b}"))),
    "a key that is a list": zipped(GOOD, ("core/k.md", page(key="[k]"))),
    "no YAML": zipped(GOOD, ("core/k.md", page(tags="[a, "))),
    "deep YAML": zipped(GOOD, ("core/k.md", page(tags="[" * 20_000))),
    "too many tags": zipped(GOOD, ("core/k.md", page(tags="[" + "a," * 20_000 + "]"))),
    "nested brackets": zipped(GOOD, ("core/k.md", page(tags="[" * 8_000))),
    "nested dashes": zipped(GOOD, ("core/k.md", page(tags="\n" + "- " * 7_000))),
    "a tag twice removed": zipped(GOOD, ("core/k.md", page(tags="[&a x, *a]"))),
    "a field twice": zipped(GOOD, ("core/k.md", page(tags="[a]\ntags: [b]"))),
    "two documents": zipped(GOOD, ("core/k.md", page(tags="[a]\n...\nkey: k"))),
    "a time that is none": zipped(GOOD, ("core/k.md", page(updated_at="yesterday"))),
    "a workspace's entry": zipped(GOOD, ("workspace/k.md", page(category="workspace"))),
    "a run's entry": zipped(GOOD, ("conversation/k.md", page(category="conversation"))),
    "1,001 files": lambda: zipped(*((f"core/k{n}.md", page(f"k{n}")) for n in range(1001))),
    "100,000 files": lambda: zipped(*((f"core/{n}.md", "") for n in range(20_000))),
    "another compression": zipped(GOOD, method=zipfile.ZIP_BZIP2),
    "a broken zip": zipped(GOOD)[:-30],
    "a wrong checksum": zipped(GOOD, method=zipfile.ZIP_STORED).replace(b"key: good", b"key: g00d"),
    "no zip": b"hello",
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_zip_is_refused_whole(api, name):
    await api.put(f"{AGENT}/entries/before", json={"content": "x"})
    made = HOSTILE[name]
    archive = made() if callable(made) else made  # large ones are made here only
    for mode in ("upsert", "replace"):
        answer = await load(api, archive, mode=mode)
        assert answer.status_code == 422, answer.text
        assert answer.json()["code"] in ("invalid", "limit_exceeded")
    assert [entry["key"] for entry in await everything(api)] == ["before"]


async def test_a_body_over_32_mib_is_refused(api):
    answer = await load(api, b"x" * (32 * 1024 * 1024 + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


async def test_an_agents_key_neither_exports_nor_imports_for_another(org, api):
    await api.put(f"{AGENT}/entries/k", json={"content": "x"})
    mole = org.client(key=await org.mint("agent", agent_id="mole"))
    for answer in (await mole.get(f"{AGENT}/entries-export"), await load(mole, zipped(GOOD))):
        assert (answer.status_code, answer.json()["code"]) == (403, "MEM-001")


async def test_an_import_at_the_cap_evicts_or_is_refused_whole(api):
    entries = [{"key": f"k{n}", "content": "x"} for n in range(1000)]
    await api.post(f"{AGENT}/entries-batch", json={"entries": entries})
    notes = zipped(("core/c.md", page("c")), ("note/n.md", page("n", category="note")))
    answer = await load(api, notes)
    assert (answer.status_code, answer.json()["code"]) == (409, "capacity")
    assert (await api.get(f"{AGENT}/entries/c")).status_code == 404
    answer = await load(api, zipped(("core/c.md", page("c"))))
    assert answer.json()["evicted"] == ["k0"]


def test_a_full_agent_of_text_that_does_not_compress_fits_an_import():
    letters = [chr(0x4E00 + n) for n in range(20_000)]
    entries = [
        Entry("ent_0", "bot", "default", None, None, "agent", f"k{n}", "core", "".join(random.sample(letters, 5461)),
              [], 1, 1, None, START, START)
        for n in range(1000)
    ]  # fmt: skip
    archive = transfer.pack(entries)
    assert 10_000_000 < len(archive) < transfer.MAX_ZIP_BYTES
    pages = transfer.unpack(archive, Audience(agent_id="bot"))
    assert [page.entry.content for page in pages] == [entry.content for entry in entries]


# --- any key, any content --------------------------------------------------------------------------------------------

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
awkward = st.sampled_from(
    ["..", ".", "/", "a/b", "a\\b", "---", "---\nkey: x\n---\n", "\r\n", " x ", "x\n", "x\r", "\ufeff",
     "\u2028", "\x85", "\x1f", "\x7f", "\uffff", "yes", "null", "~", "1", "- a", "a: b", "# c", "'", '"',
     "%2F", "%", "x" * 255, "é" * 127, "[", "{}", "!!python/object:os.system", "&a", "*a", "\U0010ffff"]
)  # fmt: skip
keys = (text | awkward).filter(lambda t: len(t.encode()) <= 255)
contents = (text | awkward | st.tuples(awkward, awkward).map("".join)).filter(
    lambda t: len(t.encode()) <= 16_384
)
names = (text | awkward).filter(lambda t: len(t.encode()) <= 64)
own_categories = (names | st.sampled_from(["core", "daily"])).filter(
    lambda name: name not in (CONVERSATION, WORKSPACE)
)


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.tuples(keys, contents, own_categories, st.lists(names, max_size=3)),
        min_size=1,
        max_size=5,
        unique_by=lambda item: item[0],
    )
)
async def test_any_entries_survive_export_and_import(org, time, items):
    time.now = START
    caller = await fresh_caller(org)
    agent = f"bot:{caller.workspace_id}@x.y"
    for key, content, category, tags in items:
        await service.store(org.db, caller, agent, NewEntry(key, content, category, tags))
        time.now = time.now.replace(microsecond=time.now.microsecond + 7)
    before = (await service.list_entries(org.db, caller, agent, Filter())).data
    archive = await transfer.export_entries(org.db, caller, agent)
    result = await transfer.import_entries(org.db, caller, agent, archive, mode="replace")
    assert (result.upserted, result.unchanged, result.deleted) == (0, len(items), 0)
    assert (await service.list_entries(org.db, caller, agent, Filter())).data == before
    for key, *_ in items:
        await service.forget(org.db, caller, agent, key)
    result = await transfer.import_entries(org.db, caller, agent, archive)
    assert result.upserted == len(items)
    after = (await service.list_entries(org.db, caller, agent, Filter())).data
    for name in ("id", "key", "content", "category", "tags", "created_at", "updated_at"):
        assert [getattr(e, name) for e in after] == [getattr(e, name) for e in before]


@given(keys, own_categories)
def test_a_path_stays_in_the_zip(key, category):
    path = transfer.path_of(category, key)
    folder, _, file = path.partition("/")
    assert "/" not in file
    assert folder not in ("", ".", "..")
    assert path.isascii()
    assert file == quote(key, safe="") + ".md"


def some_entry(key, content, category, tags):
    return Entry(
        "ent_0",
        "bot",
        "w",
        None,
        None,
        "agent",
        key,
        category,
        content,
        tags,
        1,
        1,
        None,
        START,
        START,
    )


@given(keys, contents, names, st.lists(names, max_size=3))
def test_any_page_is_read_as_it_was_written_by_us_and_by_yaml(key, content, category, tags):
    written = markdown.write(some_entry(key, content, category, tags))
    read = markdown.read(written)
    assert read.entry == NewEntry(key, content, category, tags)
    assert (read.agent_id, read.created_at, read.updated_at) == ("bot", START, START)
    front_matter = written[4 : written.index("\n---\n") + 1]
    fields = yaml.safe_load(front_matter)
    assert (fields["key"], fields["category"], fields["tags"]) == (key, category, tags)
    assert fields["updated_at"] == START


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags:", []),
        ("tags: []", []),
        ("tags: [ ]  # none", []),
        ("tags: [a, b c , 'd, e', \"f\"]", ["a", "b c", "d, e", "f"]),
        ("tags: [a,]", ["a"]),
        ("tags:\n- a\n- 'it''s'\n# more\n- \"b\"", ["a", "it's", "b"]),
        ("tags:\n  - 1\n  - true\n  - 2026-01-01", ["1", "true", "2026-01-01"]),
        ("tags: [\n  a,\n  b\n]", ["a", "b"]),
        ("tags:\r\n- a\r", ["a"]),
    ],
)
def test_tags_may_be_written_as_people_write_them(written, tags):
    page = f"---\nagent_id: bot\nkey: 'a: b'\ncategory: core # pinned\n{written}\n---\nx"
    read = markdown.read(page)
    assert (read.entry.tags, read.entry.key, read.entry.category) == (tags, "a: b", "core")


@given(st.text())
def test_any_text_is_a_page_or_invalid(text):
    for candidate in (text, "---\n" + text, f"---\n{text}\n---\n"):
        with suppress(Invalid):
            markdown.read(candidate)
