"""Tools of a model: schemas, and calls as a model makes them, with every client."""

import json

import jsonschema
import pytest

from holdfast_client import tools
from holdfast_client.tools.definitions import TOOLS


def test_schemas_are_valid_and_alike_for_both_providers() -> None:
    for ours, theirs in zip(tools.openai(), tools.anthropic(), strict=True):
        jsonschema.Draft202012Validator.check_schema(theirs["input_schema"])
        assert ours["function"]["parameters"] == theirs["input_schema"]
        assert ours["function"]["name"] == theirs["name"]
    assert [tool["name"] for tool in tools.anthropic("recall", "forget")] == ["recall", "forget"]
    with pytest.raises(KeyError, match="rmember"):
        tools.openai("rmember")
    assert {tool.name for tool in TOOLS} == set(tools.NAMES)
    assert [tool["name"] for tool in tools.anthropic()] == [
        "context", "remember", "recall", "forget",
    ]  # fmt: skip
    assert [tool["name"] for tool in tools.anthropic("entries")] == [
        "memory_store", "memory_recall", "memory_list", "memory_forget",
    ]  # fmt: skip
    assert len(tools.openai("core", "memory_recall")) == 5


async def test_a_model_remembers_recalls_and_forgets(both) -> None:
    memory = both.scope(user="ana", agent="bot")
    saved = json.loads(
        tools.dispatch(
            memory.sync,
            "remember",
            '{"text": "Ana takes her tea green", "key": "tea", "tags": ["drink"]}',
        )
    )
    assert saved["saved"] == "new"
    again = {"text": "Ana takes her tea black", "key": "tea", "category": None}
    assert json.loads(await tools.dispatch(memory.awaited, "remember", again))["saved"] == "updated"
    found = json.loads(tools.dispatch(memory.sync, "recall", {"query": "tea", "limit": 3}))
    assert found == [{"id": saved["id"], "text": "Ana takes her tea black", "from": "memory"}]
    context = json.loads(
        await tools.dispatch(memory.awaited, "context", {"message": "what does Ana drink?"})
    )
    assert set(context) == {"user_memory", "reminders", "recalled", "notes"}
    gone = json.loads(tools.dispatch(memory.sync, "forget", {"query": "tea"}))
    assert gone == {"forgotten": saved["id"], "text": "Ana takes her tea black"}
    assert json.loads(tools.dispatch(memory.sync, "recall", {"query": "tea"})) == []
    none = json.loads(await tools.dispatch(memory.awaited, "forget", {"query": "tea"}))
    assert none["forgotten"] is None


async def test_a_model_stores_lists_recalls_and_forgets_facts_by_key(both) -> None:
    memory = both.scope(user="ana", agent="bot")

    async def call(name, arguments):
        first = tools.dispatch(memory.sync, name, arguments)
        if name in ("memory_recall", "memory_list"):
            assert await tools.dispatch(memory.awaited, name, arguments) == first
        return json.loads(first)

    assert await call("memory_list", {}) == {"data": [], "has_more": False}
    assert await call("memory_forget", {"key": "tea"}) == {"forgotten": False}
    stored = {"key": "tea", "content": "Ana takes her tea green", "tags": ["drink"]}
    assert await call("memory_store", stored) == {"key": "tea", "saved": "new"}
    fact = {"key": "tea", "content": "Ana takes her tea green", "category": "core"}
    assert await call("memory_recall", '{"key": "tea"}') == fact
    assert await call("memory_recall", {"key": "coffee"}) == {}
    asked = {"tags": ["drink"], "updated_after": "2026-01-31T00:00:00Z", "limit": 5}
    assert await call("memory_list", {"filter": asked}) == {"data": [fact], "has_more": False}
    assert (await call("memory_list", {"filter": {"query": "coffee"}}))["data"] == []
    ben = both.scope(user="ben", agent="bot").sync  # an entry of ana's with this agent
    assert json.loads(tools.dispatch(ben, "memory_recall", {"key": "tea"})) == {}
    assert await call("memory_forget", {"key": "tea"}) == {"forgotten": True}


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("memory_list", {"filter": {"color": "red"}}, "filter.color: no such argument"),
        ("memory_list", {"filter": {"updated_after": "today"}}, "filter.updated_after: write it"),
        ("memory_list", {"filter": "red"}, "filter: must be of type object"),
        ("remember", "{not json", "not JSON"),
        ("remember", "[]", "must be an object"),
        ("remember", {}, "missing: text"),
        ("remember", {"text": 7}, "text: must be of type string"),
        ("recall", {"query": "x", "limit": True}, "limit: must be of type integer"),
        ("recall", {"query": "x", "user": "bob"}, "user: no such argument"),
        ("recall", {"query": ""}, "query"),
        ("forget", {}, "an id or a query"),
        ("forget", {"id": "memory_nothing"}, "there is no memory"),
    ],
)
async def test_mistakes_of_the_model_are_answers(both, name, arguments, says) -> None:
    assert says in json.loads(tools.dispatch(both.sync, name, arguments))["error"]
    assert says in json.loads(await tools.dispatch(both.awaited, name, arguments))["error"]


def test_a_tool_of_somebody_else_is_refused(both) -> None:
    with pytest.raises(KeyError, match="no memory tool"):
        tools.dispatch(both.sync, "weather", {})
