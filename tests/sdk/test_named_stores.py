"""Finding a store by its name, call by call: what a service answers is written here."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast_client import NotFound, Scope
from holdfast_client.flows import run
from holdfast_client.named_stores import list_all, open_store
from holdfast_client.stores.model import StoreEntry

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def stores(*names_and_ids: tuple[str, str], more: bool = False) -> SimpleNamespace:
    data = [SimpleNamespace(name=name, id=id) for name, id in names_and_ids]
    return SimpleNamespace(data=data, has_more=more, last_id=data[-1].id if data else None)


class Script:
    """Answers in order, and what was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), []

    def send(self, call: Any) -> Any:
        self.asked.append((call.method, dict(call.query), call.json))
        return self.answers.pop(0)


def test_the_oldest_store_of_the_name_is_taken_from_whichever_page():
    script = Script(
        stores(("notes", "s4"), ("notes and more", "s3"), more=True), stores(("notes", "s1"))
    )
    assert run(open_store(Scope(), "notes", "Notes"), script.send) == "s1"
    assert [query["after_id"] for _, query, _ in script.asked] == [None, "s3"]


def test_a_store_is_made_where_only_names_that_begin_alike_are_there_and_then_looked_for_again():
    made = stores(("notes", "s9"), ("notes", "s8"))  # somebody else made one at the same time
    script = Script(stores(("notes and more", "s3")), None, made)
    assert run(open_store(Scope(), "notes", "Notes"), script.send) == "s8"
    assert [method for method, _, _ in script.asked] == ["GET", "POST", "GET"]
    assert (script.asked[1][2]["name"], script.asked[1][2]["description"]) == ("notes", "Notes")


def test_a_store_that_is_not_there_after_it_was_made_is_said():
    script = Script(stores(), None, stores(), None, stores())
    with pytest.raises(NotFound, match="'notes' was made and is not there"):
        run(open_store(Scope(), "notes", "Notes"), script.send)


def test_those_who_find_no_store_at_once_make_one(both):
    """Each step of one is followed by the same step of the other, so that both find none."""
    flows = [open_store(both.sync._scope, "notes", "Notes") for _ in range(2)]
    asked = [both.sync.send(next(flow)) for flow in flows]
    asked = [both.sync.send(flow.send(answer)) for flow, answer in zip(flows, asked, strict=True)]
    assert len(both.sync.stores.list_stores(name="notes").data) == 1
    opened = [
        run(_going_on(flow, answer), both.sync.send)
        for flow, answer in zip(flows, asked, strict=True)
    ]
    assert len(set(opened)) == 1


def test_a_store_that_was_deleted_is_made_anew(both):
    first = run(open_store(both.sync._scope, "notes", "Notes"), both.sync.send)
    both.sync.stores.delete_store(first)
    second = run(open_store(both.sync._scope, "notes", "Notes"), both.sync.send)
    assert second != first
    assert run(open_store(both.sync._scope, "notes", "Notes"), both.sync.send) == second


def _going_on(flow, answer):
    """The rest of a flow, from the answer to its last call on."""
    call = flow.send(answer)
    while True:
        try:
            call = flow.send((yield call))
        except StopIteration as end:
            return end.value


def test_every_entry_below_a_path_is_listed_and_folders_are_not():
    def entry(path: str) -> StoreEntry:
        return StoreEntry("mem_1", "s", path, 1, "x", 1, {}, NOW, NOW)

    first = SimpleNamespace(data=[entry("a"), SimpleNamespace(path="b/")], has_more=True, next_path="b0")  # fmt: skip
    last = SimpleNamespace(data=[entry("c")], has_more=False, next_path=None)
    script = Script(first, last)
    assert [row.path for row in run(list_all(Scope(), "s", "x/"), script.send)] == ["a", "c"]
    assert [query.get("after_path") for _, query, _ in script.asked] == [None, "b0"]
    assert {query["path_prefix"] for _, query, _ in script.asked} == {"x/"}
