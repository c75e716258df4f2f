"""Anthropic's memory tool over a store, sync and async, by the commands a model sends."""

import inspect

import pytest
from anthropic.lib.tools import ToolError

from holdfast_client import AsyncClient, Client
from holdfast_client.anthropic_memory import AsyncStoreMemoryTool, StoreMemoryTool


class Model:
    """Sends commands to a tool as the tool runner would, and reads what it says."""

    def __init__(self, tool, stores, store_id):
        self.tool, self.stores, self.store_id = tool, stores, store_id

    async def __call__(self, command, path="/memories", **fields):
        named = {"path": path} if command != "rename" else {}
        answer = self.tool.call({"command": command, **named, **fields})
        return await answer if inspect.isawaitable(answer) else answer

    async def refused(self, command, path="/memories", **fields):
        with pytest.raises(ToolError) as refusal:
            await self(command, path, **fields)
        return str(refusal.value)


@pytest.fixture(params=["sync", "async", "sync in a folder"])
async def model(request, org):
    with Client(org.url, org.key) as client:
        store = client.stores.create("memory tool")
        folder = "users/ana" if "folder" in request.param else ""
        if request.param != "async":
            yield Model(StoreMemoryTool(client, store.id, folder=folder), client.stores, store.id)
            return
        async with AsyncClient(org.url, org.key) as awaited:
            yield Model(AsyncStoreMemoryTool(awaited, store.id), client.stores, store.id)


async def test_the_tool_says_what_it_is(model):
    assert model.tool.to_dict() == {"type": "memory_20250818", "name": "memory"}


async def test_a_file_is_written_once_and_read_with_its_lines_numbered(model):
    assert "/memories/a.md" in await model("create", "/memories/a.md", file_text="one\ntwo\n")
    assert "already exists" in await model.refused("create", "/memories/a.md", file_text="x")
    viewed = await model("view", "/memories/a.md")
    assert viewed.split("\n")[1:] == ["     1\tone", "     2\ttwo", "     3\t"]
    part = await model("view", "/memories/a.md", view_range=[2, -1])
    assert part.split("\n")[1:] == ["     2\ttwo", "     3\t"]
    assert (await model("view", "/memories/a.md", view_range=[1, 1])).split("\n")[1:] == [
        "     1\tone"
    ]
    assert "does not exist" in await model.refused("view", "/memories/b.md")


async def test_a_folder_shows_two_levels_with_sizes_and_nothing_hidden(model):
    assert (await model("view")).split("\n")[1:] == ["-\t/memories"]
    for path, text in (
        ("b", "x" * 2048), ("a/one", "x"), ("a/deep/two", "x"), ("a/deep/er/three", "x"), (".hidden", "x"),
        ("a/.secret", "x"), (".folder/x", "x"),
    ):  # fmt: skip
        await model("create", f"/memories/{path}", file_text=text)
    assert (await model("view")).split("\n")[1:] == [
        "-\t/memories",
        "-\t/memories/a/",
        "-\t/memories/a/deep/",
        "1B\t/memories/a/one",
        "2K\t/memories/b",
    ]
    assert (await model("view", "/memories/a/")).split("\n")[1:] == [
        "-\t/memories/a",
        "-\t/memories/a/deep/",
        "-\t/memories/a/deep/er/",
        "1B\t/memories/a/deep/two",
        "1B\t/memories/a/one",
    ]


async def test_a_text_is_replaced_only_where_it_stands_once(model):
    await model("create", "/memories/a", file_text="tea\ncoffee\ntea\nmilk\n")
    assert await model("str_replace", "/memories/a", old_str="coffee", new_str="water\nwine") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\ttea\n     2\twater\n     3\twine\n     4\ttea"
    )
    assert await model.refused("str_replace", "/memories/a", old_str="tea", new_str="x") == (
        "No replacement was performed. Multiple occurrences of old_str `tea` in lines: 1, 4. "
        "Please ensure it is unique"
    )
    assert await model.refused("str_replace", "/memories/a", old_str="rum", new_str="x") == (
        "No replacement was performed, old_str `rum` did not appear verbatim in /memories/a."
    )
    assert "does not exist" in await model.refused(
        "str_replace", "/memories/b", old_str="a", new_str="b"
    )
    assert "     3\twine" in await model("view", "/memories/a")


async def test_lines_are_inserted_from_the_first_to_the_last(model):
    await model("create", "/memories/a", file_text="one\nthree\n")
    await model("insert", "/memories/a", insert_line=1, insert_text="two\n")
    await model("insert", "/memories/a", insert_line=0, insert_text="zero")
    await model("insert", "/memories/a", insert_line=4, insert_text="four\nfive\n")
    assert await model.refused("insert", "/memories/a", insert_line=7, insert_text="x") == (
        "Invalid `insert_line` parameter: 7. It should be within the range [0, 6]."
    )
    assert "[0, 6]" in await model.refused("insert", "/memories/a", insert_line=-1, insert_text="x")
    viewed = await model("view", "/memories/a")
    assert [line[7:] for line in viewed.split("\n")[1:]] == [
        "zero", "one", "two", "three", "four", "five", "",
    ]  # fmt: skip


async def test_delete_takes_a_file_or_a_whole_folder_but_never_the_root(model):
    for path in ("a", "b/c", "b/d/e", "bc"):
        await model("create", f"/memories/{path}", file_text="x")
    await model("delete", "/memories/a")
    await model("delete", "/memories/b")
    assert "does not exist" in await model.refused("delete", "/memories/b")
    for root in ("/memories", "/memories/", "/memories/.", "/memories/sub/.."):
        assert await model.refused("delete", root) == (
            "Cannot delete the /memories directory itself"
        )
    assert (await model("view")).split("\n")[2:] == ["1B\t/memories/bc"]
    model.tool.clear_all_memory() if not inspect.iscoroutinefunction(
        model.tool.clear_all_memory
    ) else await model.tool.clear_all_memory()
    assert (await model("view")).split("\n")[2:] == []


async def test_rename_moves_a_file_or_a_folder_to_a_free_path(model):
    for path in ("a", "b/c", "b/d/e"):
        await model("create", f"/memories/{path}", file_text=path)
    await model("rename", old_path="/memories/a", new_path="/memories/z/a")
    await model("rename", old_path="/memories/b", new_path="/memories/y")
    listed = (await model("view")).split("\n")[2:]
    assert [line.split("\t")[1] for line in listed] == [
        "/memories/y/", "/memories/y/c", "/memories/y/d/", "/memories/z/", "/memories/z/a",
    ]  # fmt: skip
    assert "b/d/e" in await model("view", "/memories/y/d/e")
    taken = {"old_path": "/memories/z/a", "new_path": "/memories/y"}
    assert "already exists" in await model.refused("rename", **taken)
    assert "already exists" in await model.refused(
        "rename", old_path="/memories/y", new_path="/memories/z/a"
    )
    assert "into itself" in await model.refused(
        "rename", old_path="/memories/y", new_path="/memories/y/x"
    )
    for root in ("/memories", "/memories/", "/memories/.", "/memories/sub/.."):
        assert await model.refused("rename", old_path=root, new_path="/memories/q") == (
            "Cannot rename the /memories directory itself"
        )
        assert await model.refused("rename", old_path="/memories/y", new_path=root) == (
            f"The destination {root} already exists"
        )
    assert "does not exist" in await model.refused(
        "rename", old_path="/memories/none", new_path="/memories/q"
    )


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        *[(path, f"Path must start with /memories, got: {path}")
          for path in ("/etc/passwd", "memories/a", "/memoriesx", "", "/")],
        *[(path, f"Path {path} would escape /memories directory")
          for path in ("/memories/..", "/memories/../a", "/memories/a/../../b", "/memories/../../../etc/passwd")],
    ],
)  # fmt: skip
async def test_nothing_leads_out_of_the_folder(model, path, refusal):
    assert await model.refused("create", path, file_text="x") == refusal
    assert await model.refused("view", path) == refusal
    assert await model.refused("delete", path) == refusal
    assert model.stores.open(model.store_id).entry_count == 0


async def test_dots_and_doubled_slashes_are_resolved_as_on_a_disk(model):
    await model("create", "/memories/a/./b//c", file_text="x")
    assert "1\tx" in await model("view", "/memories/a/b/z/../c")
    assert "already exists" in await model.refused("create", "/memories/a/b/c", file_text="y")


async def test_a_file_never_lies_over_a_folder(model):
    await model("create", "/memories/a/b", file_text="x")
    assert await model.refused("create", "/memories/a", file_text="x") == (
        "File /memories/a already exists"
    )
    assert await model.refused("create", "/memories", file_text="x") == (
        "File /memories already exists"
    )
    assert await model.refused("create", "/memories/a/b/c/d", file_text="x") == (
        "The path /memories/a/b is not a directory"
    )
    for command, fields in (
        ("str_replace", {"old_str": "x", "new_str": "y"}),
        ("insert", {"insert_line": 0, "insert_text": "y"}),
    ):
        assert await model.refused(command, "/memories/a", **fields) == (
            "The path /memories/a is not a file."
        )
    await model("create", "/memories/c", file_text="x")
    assert await model.refused("rename", old_path="/memories/c", new_path="/memories/a/b/c") == (
        "The path /memories/a/b is not a directory"
    )
    assert model.stores.open(model.store_id).entry_count == 2


async def test_a_file_over_a_folder_of_the_store_is_deleted_and_moved_alone(model):
    """The store itself allows both at once; another client may have written them."""
    await model("create", "/memories/a", file_text="file")
    [entry] = model.stores.list(model.store_id).data
    for name in ("b", "c"):
        model.stores.create_entry(model.store_id, f"{entry.path}/{name}", name)
    await model("rename", old_path="/memories/a", new_path="/memories/z")
    assert [e.path.rsplit("/", 1)[-1] for e in model.stores.list(model.store_id).data] == [
        "b", "c", "z",
    ]  # fmt: skip
    model.stores.create_entry(model.store_id, entry.path, "file again")
    await model("delete", "/memories/a")
    assert "\tb" in await model("view", "/memories/a/b")


async def test_carriage_returns_stay(model):
    await model("create", "/memories/a", file_text="one\r\ntwo\r\n")
    await model("str_replace", "/memories/a", old_str="two", new_str="2")
    await model("insert", "/memories/a", insert_line=1, insert_text="between")
    viewed = await model("view", "/memories/a")
    assert viewed.split("\n")[1:] == ["     1\tone\r", "     2\tbetween", "     3\t2\r", "     4\t"]


async def test_what_the_store_refuses_is_told_to_the_model(model):
    assert "blank" in await model.refused("create", "/memories/a", file_text=" ")
    assert "102,400" in await model.refused("create", "/memories/a", file_text="x" * 102_401)
    model.stores.archive(model.store_id)
    assert "archived" in await model.refused("create", "/memories/a", file_text="x")
    model.stores.delete_store(model.store_id)
    assert "no such store" in await model.refused("view")


async def test_an_edit_is_made_on_what_others_wrote_in_between(model, monkeypatch):
    await model("create", "/memories/a", file_text="one\n")
    [entry] = model.stores.list(model.store_id).data
    folder = type(model.tool._folder)
    write = folder.write

    def write_after_another(self, found, content, **options):
        monkeypatch.setattr(folder, "write", write)
        model.stores.update_entry(model.store_id, entry.id, "one\nand two\n", version=1)
        return write(self, found, content, **options)

    monkeypatch.setattr(folder, "write", write_after_another)
    await model("str_replace", "/memories/a", old_str="one", new_str="1")
    now = model.stores.read_entry(model.store_id, entry.id)
    assert (now.content, now.version) == ("1\nand two\n", 3)
