"""Anthropic's own SDK against our surface: sync and async, with every answer validated strictly."""

import inspect
from hashlib import sha256

import anthropic
import httpx
import pytest
from anthropic import Anthropic, AsyncAnthropic

from tests.stores.conftest import make_store

NOWHERE = "memstore_" + "0" * 32


def sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture(params=[Anthropic, AsyncAnthropic], ids=["sync", "async"])
async def client(request, service, org):
    """A client of either kind; it repeats nothing, so that every refusal is seen."""
    options = {"base_url": f"{service.url}/anthropic", "max_retries": 2}
    made = request.param(api_key=org.key, _strict_response_validation=True, **options)
    yield made
    closed = made.close()
    if inspect.isawaitable(closed):
        await closed


async def done(answer):
    """The answer of either client."""
    return await answer if inspect.isawaitable(answer) else answer


async def everything(pages) -> list:
    """Every item of a list, through all its pages."""
    if hasattr(pages, "__aiter__"):
        return [item async for item in pages]
    return list(pages)


@pytest.fixture
def stores(client):
    return client.beta.memory_stores


@pytest.fixture
async def store(stores):
    return await done(stores.create(name="notes"))


async def test_a_store_is_created_read_changed_listed_archived_deleted(stores):
    made = await done(
        stores.create(name="n" * 255, description="what", metadata={"a": "1", "b": "2"})
    )
    assert made.id.startswith("memstore_")
    assert (made.type, made.name, made.description) == ("memory_store", "n" * 255, "what")
    assert made.archived_at is None
    assert await done(stores.retrieve(made.id)) == made

    changed = await done(
        stores.update(made.id, name="new", description="", metadata={"a": None, "c": "3"})
    )
    assert (changed.name, changed.description) == ("new", "")
    assert changed.metadata == {"b": "2", "c": "3"}
    assert changed.updated_at > made.updated_at

    archived = await done(stores.archive(made.id))
    assert archived.archived_at is not None
    assert await done(stores.archive(made.id)) == archived
    assert await everything(stores.list()) == []
    assert await everything(stores.list(include_archived=True)) == [archived]

    deleted = await done(stores.delete(made.id))
    assert (deleted.id, deleted.type) == (made.id, "memory_store_deleted")
    with pytest.raises(anthropic.NotFoundError) as gone:
        await done(stores.retrieve(made.id))
    assert gone.value.type == "not_found_error"


async def test_lists_of_stores_go_through_pages_and_filter_by_time(stores):
    made = [await done(stores.create(name=f"s{n}")) for n in range(5)]
    assert await everything(stores.list(limit=2)) == made[::-1]
    page = await done(stores.list(limit=2))
    assert page.next_page
    since = made[3].created_at
    assert await everything(stores.list(created_at_gte=since)) == [made[4], made[3]]
    assert await everything(stores.list(created_at_lte=since, limit=2)) == made[3::-1]


async def test_a_memory_is_created_read_changed_renamed_deleted(stores, store):
    memories = stores.memories
    made = await done(
        memories.create(memory_store_id=store.id, path="/a/b.md", content="Grüße\n", view="full")
    )
    assert (made.type, made.path, made.content) == ("memory", "/a/b.md", "Grüße\n")
    assert (made.content_sha256, made.content_size_bytes) == (sha("Grüße\n"), 8)
    assert made.memory_store_id == store.id
    assert made.memory_version_id.startswith("memver_")
    assert await done(memories.retrieve(made.id, memory_store_id=store.id)) == made
    basic = await done(memories.retrieve(made.id, memory_store_id=store.id, view="basic"))
    assert basic.content is None

    changed = await done(memories.update(made.id, memory_store_id=store.id, content="two"))
    assert changed.content is None
    assert changed.content_sha256 == sha("two")
    assert changed.memory_version_id != made.memory_version_id
    renamed = await done(memories.update(made.id, memory_store_id=store.id, path="/c", view="full"))
    assert (renamed.id, renamed.path, renamed.content) == (made.id, "/c", "two")

    deleted = await done(memories.delete(made.id, memory_store_id=store.id))
    assert (deleted.id, deleted.type) == (made.id, "memory_deleted")
    with pytest.raises(anthropic.NotFoundError):
        await done(memories.retrieve(made.id, memory_store_id=store.id))


async def test_an_empty_memory_is_allowed(stores, store):
    made = await done(
        stores.memories.create(memory_store_id=store.id, path="/empty", content="", view="full")
    )
    assert (made.content, made.content_size_bytes, made.content_sha256) == ("", 0, sha(""))
    filled = await done(stores.memories.update(made.id, memory_store_id=store.id, content="x"))
    emptied = await done(
        stores.memories.update(made.id, memory_store_id=store.id, content="", view="full")
    )
    assert (filled.content_size_bytes, emptied.content) == (1, "")


async def test_a_precondition_on_the_content_is_kept(stores, store, client):
    memories, sent = stores.memories, count_requests(client)
    made = await done(memories.create(memory_store_id=store.id, path="/a", content="one"))

    def update(content, expected, **fields):
        precondition = {"type": "content_sha256", "content_sha256": sha(expected)}
        return done(
            memories.update(
                made.id,
                memory_store_id=store.id,
                content=content,
                precondition=precondition,
                **fields,
            )
        )

    second = await update("two", "one")
    sent.clear()
    with pytest.raises(anthropic.ConflictError) as lost:
        await update("three", "one")
    assert lost.value.type == "memory_precondition_failed_error"
    assert lost.value.request_id
    assert len(sent) == 1  # x-should-retry: false
    # A retry after a lost answer: it already is what is asked for.
    assert await update("two", "one") == second
    assert await update("two", "one", path="/a") == second
    with pytest.raises(anthropic.ConflictError):
        await update("two", "one", path="/elsewhere")
    with pytest.raises(anthropic.ConflictError) as lost:
        await done(
            memories.delete(made.id, memory_store_id=store.id, expected_content_sha256=sha("one"))
        )
    assert lost.value.type == "memory_precondition_failed_error"
    await done(
        memories.delete(made.id, memory_store_id=store.id, expected_content_sha256=sha("two"))
    )


def count_requests(client) -> list:
    """What the client really sends, from now on."""
    sent: list = []
    hooks = client._client.event_hooks
    if isinstance(client, AsyncAnthropic):

        async def note(request):
            sent.append(request)
    else:

        def note(request):
            sent.append(request)

    client._client.event_hooks = {**hooks, "request": [*hooks["request"], note]}
    return sent


async def test_a_path_may_not_lie_at_above_or_below_anothers(stores, store):
    holder = await done(stores.memories.create(memory_store_id=store.id, path="/a/b", content="x"))
    other = await done(stores.memories.create(memory_store_id=store.id, path="/z", content="x"))
    for path in ("/a/b", "/a", "/a/b/c"):
        with pytest.raises(anthropic.ConflictError) as taken:
            await done(stores.memories.create(memory_store_id=store.id, path=path, content="y"))
        assert taken.value.type == "memory_path_conflict_error"
        told = taken.value.body["error"]
        assert (told["conflicting_memory_id"], told["conflicting_path"]) == (holder.id, "/a/b")
        with pytest.raises(anthropic.ConflictError) as taken:
            await done(stores.memories.update(other.id, memory_store_id=store.id, path=path))
        assert taken.value.type == "memory_path_conflict_error"
    await done(stores.memories.create(memory_store_id=store.id, path="/a/bc", content="y"))
    below = await done(stores.memories.update(holder.id, memory_store_id=store.id, path="/a/b/c"))
    assert below.path == "/a/b/c"


async def test_memories_are_listed_by_prefix_depth_view_and_page(stores, store):
    for path in ("/a", "/n/a", "/n/b/c", "/n/b/d", "/n/e", "/nx/f"):
        await done(stores.memories.create(memory_store_id=store.id, path=path, content=path))

    async def listed(**options):
        items = await everything(stores.memories.list(store.id, **options))
        return [(item.type, item.path) for item in items]

    every = ["/a", "/n/a", "/n/b/c", "/n/b/d", "/n/e", "/nx/f"]
    for limit in (1, 4, 100):
        assert await listed(limit=limit) == [("memory", path) for path in every]
        assert await listed(path_prefix="/", depth=1, limit=limit) == [
            ("memory", "/a"), ("memory_prefix", "/n/"), ("memory_prefix", "/nx/"),
        ]  # fmt: skip
        assert await listed(path_prefix="/n/", depth=1, limit=limit) == [
            ("memory", "/n/a"), ("memory_prefix", "/n/b/"), ("memory", "/n/e"),
        ]  # fmt: skip
    full = await everything(stores.memories.list(store.id, view="full", path_prefix="/n/"))
    assert [item.content for item in full] == ["/n/a", "/n/b/c", "/n/b/d", "/n/e"]
    basic = await everything(stores.memories.list(store.id))
    assert {item.content for item in basic} == {None}
    assert all(item.memory_version_id.startswith("memver_") for item in basic)
    for wrong in ({"path_prefix": "/n"}, {"path_prefix": "n/"}, {"page": "?"}, {"limit": 101}):
        with pytest.raises(anthropic.BadRequestError):
            await listed(**wrong)


async def test_a_full_page_holds_at_most_20(stores, store, org):
    native = org.client()
    for number in range(22):
        await native.post(
            f"/memory_stores/{store.id}/memories", json={"path": f"{number:02}", "content": "x"}
        )
    assert len((await done(stores.memories.list(store.id, view="full", limit=100))).data) == 20
    assert len((await done(stores.memories.list(store.id, limit=100))).data) == 22
    assert len(await everything(stores.memories.list(store.id, view="full", limit=100))) == 22
    versions = stores.memory_versions
    assert len((await done(versions.list(store.id, view="full", limit=100))).data) == 20
    assert len((await done(versions.list(store.id, limit=100))).data) == 22


async def test_versions_are_listed_read_and_redacted(stores, store):
    memories, versions = stores.memories, stores.memory_versions
    made = await done(memories.create(memory_store_id=store.id, path="/a", content="secret"))
    await done(memories.update(made.id, memory_store_id=store.id, content="clean"))
    await done(memories.delete(made.id, memory_store_id=store.id))
    deleted, modified, created = await everything(versions.list(store.id, limit=2))
    assert [v.operation for v in (deleted, modified, created)] == ["deleted", "modified", "created"]
    assert created.id == made.memory_version_id
    assert (created.path, created.content, created.content_size_bytes) == ("/a", None, 6)
    assert created.created_by.type == "api_actor"
    assert (deleted.path, deleted.content, deleted.content_size_bytes) == ("/a", None, None)
    full = await done(versions.retrieve(created.id, memory_store_id=store.id))
    assert full.content == "secret"
    basic = await done(versions.retrieve(created.id, memory_store_id=store.id, view="basic"))
    assert basic.content is None

    key_id = created.created_by.api_key_id
    for options, found in (
        ({"operation": "modified"}, [modified]),
        ({"memory_id": made.id, "created_at_gte": modified.created_at}, [deleted, modified]),
        ({"created_at_lte": created.created_at}, [created]),
        ({"api_key_id": key_id}, [deleted, modified, created]),
        ({"api_key_id": "key_other"}, []),
        ({"service_account_id": key_id}, []),
        ({"session_id": "nobody"}, []),
    ):
        assert await everything(versions.list(store.id, **options)) == found

    redacted = await done(versions.redact(created.id, memory_store_id=store.id))
    assert redacted.redacted_at is not None
    assert redacted.redacted_by.type == "api_actor"
    assert (redacted.content, redacted.path, redacted.content_size_bytes) == (None, None, None)
    assert await done(versions.redact(created.id, memory_store_id=store.id)) == redacted
    assert await done(versions.retrieve(created.id, memory_store_id=store.id)) == redacted


async def test_the_live_version_cannot_be_redacted(stores, store):
    made = await done(stores.memories.create(memory_store_id=store.id, path="/a", content="x"))
    with pytest.raises(anthropic.ConflictError) as refused:
        await done(stores.memory_versions.redact(made.memory_version_id, memory_store_id=store.id))
    assert refused.value.type == "conflict_error"


async def test_an_archived_store_refuses_writes_as_a_bad_request(stores, store):
    made = await done(stores.memories.create(memory_store_id=store.id, path="/a", content="x"))
    other = await done(stores.memories.create(memory_store_id=store.id, path="/b", content="x"))
    await done(stores.memories.update(made.id, memory_store_id=store.id, content="y"))
    await done(stores.archive(store.id))
    for write in (
        lambda: stores.update(store.id, name="new"),
        lambda: stores.memories.create(memory_store_id=store.id, path="/c", content="x"),
        lambda: stores.memories.create(memory_store_id=store.id, path="/a", content="x"),
        lambda: stores.memories.update(made.id, memory_store_id=store.id, content="z"),
        lambda: stores.memories.update(made.id, memory_store_id=store.id, path="/b"),
    ):
        with pytest.raises(anthropic.BadRequestError) as refused:
            await done(write())
        assert refused.value.type == "invalid_request_error"
    await done(stores.memory_versions.redact(made.memory_version_id, memory_store_id=store.id))
    await done(stores.memories.delete(other.id, memory_store_id=store.id))
    assert len(await everything(stores.memories.list(store.id))) == 1
    await done(stores.delete(store.id))


async def test_what_is_over_a_limit_or_malformed_is_a_bad_request(stores, store):
    create = stores.memories.create
    for fits in ("/" + "x" * 1023, "/a" * 20):
        await done(create(memory_store_id=store.id, path=fits, content="x"))
    for path in ("a", "/", "", "/a/", "//a", "/./a", "/a/..", "/" + "x" * 1024, "/b" * 21, "/a\u200b",
                 "/a\u2028", "/cafe\u0301", "/a\nb"):  # fmt: skip
        with pytest.raises(anthropic.BadRequestError) as refused:
            await done(create(memory_store_id=store.id, path=path, content="x"))
        assert refused.value.type == "invalid_request_error"
    await done(create(memory_store_id=store.id, path="/big", content="é" * 51_200))
    with pytest.raises(anthropic.BadRequestError):
        await done(create(memory_store_id=store.id, path="/bigger", content="é" * 51_200 + "x"))
    for wrong in (
        {"name": "n" * 256},
        {"name": " "},
        {"name": "a\nb"},
        {"name": "n", "description": "d" * 1025},
    ):
        with pytest.raises(anthropic.BadRequestError):
            await done(stores.create(**wrong))
    with pytest.raises(anthropic.BadRequestError):
        await done(stores.create(name="n", extra_body={"colour": "red"}))


async def test_nothing_crosses_orgs(stores, store, make_org, service):
    made = await done(stores.memories.create(memory_store_id=store.id, path="/a", content="x"))
    stranger = (await make_org()).key
    async with AsyncAnthropic(api_key=stranger, base_url=f"{service.url}/anthropic") as other:
        theirs = other.beta.memory_stores
        for call in (
            theirs.retrieve(store.id), theirs.update(store.id, name="x"), theirs.archive(store.id),
            theirs.delete(store.id), theirs.memories.list(store.id), theirs.memory_versions.list(store.id),
            theirs.memories.create(memory_store_id=store.id, path="/b", content="x"),
            theirs.memories.retrieve(made.id, memory_store_id=store.id),
            theirs.memories.update(made.id, memory_store_id=store.id, content="y"),
            theirs.memories.delete(made.id, memory_store_id=store.id),
            theirs.memory_versions.retrieve(made.memory_version_id, memory_store_id=store.id),
            theirs.memory_versions.redact(made.memory_version_id, memory_store_id=store.id),
            theirs.retrieve(NOWHERE), theirs.retrieve("x"),
        ):  # fmt: skip
            with pytest.raises(anthropic.NotFoundError) as refused:
                await call
            assert refused.value.type == "not_found_error"
    assert (await done(stores.memories.retrieve(made.id, memory_store_id=store.id))).content == "x"


async def test_a_bad_key_is_an_authentication_error(service):
    with (
        Anthropic(api_key="nobody", base_url=f"{service.url}/anthropic") as client,
        pytest.raises(anthropic.AuthenticationError) as refused,
    ):
        client.beta.memory_stores.list()
    assert refused.value.type == "authentication_error"
    assert refused.value.response.headers["request-id"] == refused.value.body["request_id"]


async def test_older_clients_send_another_header_and_a_beta_parameter(service, org):
    async with httpx.AsyncClient(base_url=f"{service.url}/anthropic/v1") as old:
        headers = {"x-api-key": org.key, "anthropic-version": "2023-06-01"}
        listed = await old.get("/memory_stores?beta=true", headers=headers)
        assert (listed.status_code, listed.json()) == (200, {"data": [], "next_page": None})
        assert listed.headers["request-id"]
        typo = await old.get("/memory_stores?bta=true", headers=headers)
        assert (typo.status_code, typo.json()["error"]["type"]) == (400, "invalid_request_error")


async def test_their_workspace_header_picks_ours(stores, org, api):
    await api.put("/workspaces/red", json={})
    await api.patch("/org", json={"workspaces_enabled": True})
    made = await done(stores.create(name="red", workspace_id="red"))
    assert await done(stores.retrieve(made.id, workspace_id="red")) == made
    with pytest.raises(anthropic.NotFoundError):
        await done(stores.retrieve(made.id))


async def test_both_surfaces_show_one_store(stores, store, org):
    native = org.client()
    made = await done(stores.memories.create(memory_store_id=store.id, path="/a", content="x"))
    entry = (await native.get(f"/memory_stores/{store.id}/memories/by-path/a")).json()
    assert (entry["id"], entry["content"], entry["version"]) == (made.id, "x", 1)
    other = await make_store(native, "made natively")
    await other.write("deep/path", "y")
    assert [m.path for m in await everything(stores.memories.list(other.id))] == ["/deep/path"]
