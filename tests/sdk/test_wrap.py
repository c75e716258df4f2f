"""Wrapped providers: the real packages of OpenAI and Anthropic against local servers that speak their protocols."""

import json
import logging
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic

from holdfast_client import BackendUnavailable, Client, ConnectionFailed

openai = pytest.importorskip("openai", reason="the openai package is not installed")

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}
WEATHER = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"at": "Porto"}'},
}


def completion(content: str | None, **message: Any) -> tuple[int, dict[str, str], bytes]:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content, **message},
    }
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    return 200, JSON, json.dumps(body).encode()


def events(*sent: dict[str, Any], named: bool = False) -> tuple[int, dict[str, str], bytes]:
    lines = [
        (f"event: {each['type']}\n" if named else "") + f"data: {json.dumps(each)}\n\n"
        for each in sent
    ]
    return 200, EVENTS, "".join([*lines, "" if named else "data: [DONE]\n\n"]).encode()


def chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


CHAT_STREAM = events(chunk(role="assistant", content="Mint "), chunk(content="tea."))
STREAM_WITH_TOOL = events(
    chunk(
        role="assistant",
        tool_calls=[
            {
                "index": 0,
                "id": "call_1",
                "type": "function",
                "function": {"name": "weather", "arguments": ""},
            }
        ],
    ),
    chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"at": "Porto"}'}}]),
)


def message(*content: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": "m", "content": list(content),
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


TOOL_USE = {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"at": "Porto"}}
MESSAGE_STREAM = events(
    {"type": "message_start", "message": message()},
    {"type": "content_block_start", "index": 0, "content_block": text("")},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Mint "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "tea."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {**TOOL_USE, "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"at": "Porto"}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
    named=True,
)  # fmt: skip


@pytest.fixture
def ana(both):
    """Ana, of whom something is known that every prompt should hold."""
    scoped = both.scope(user="ana")
    scoped.sync.blocks.write("core", "Ana is allergic to nuts.", expected_updated_at=None)
    return scoped


def stored(ana, session: str) -> list[tuple[str, str]]:
    return [
        (each.role, each.content)
        for each in ana.sync.conversations.read("sessions", key=session).data
    ]


def sent(script: Any, number: int = -1) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(script.asked[number].body)
    return found


async def test_chat_completions(ana, answering) -> None:
    with answering(
        completion("Green tea."), CHAT_STREAM, STREAM_WITH_TOOL, completion("It rains.")
    ) as model:
        wrapped = ana.sync.wrap(openai.OpenAI(base_url=model.url, api_key="k"), session="s1")
        reply = wrapped.chat.completions.create(
            model="m",
            messages=[
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "tea or cake?"},
            ],
        )
        assert reply.choices[0].message.content == "Green tea."
        roles = [each["role"] for each in sent(model)["messages"]]
        assert roles == ["system", "system", "user"]
        assert "allergic to nuts" in sent(model)["messages"][1]["content"]
        assert stored(ana, "s1") == [("user", "tea or cake?"), ("assistant", "Green tea.")]

        stream = wrapped.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "and later?"}], stream=True
        )
        assert "".join(each.choices[0].delta.content for each in stream) == "Mint tea."
        # Only the new message was given, so the earlier turns of the session are in the prompt.
        assert [each["content"] for each in sent(model)["messages"] if each["role"] != "system"] == [
            "tea or cake?", "Green tea.", "and later?",
        ]  # fmt: skip
        assert stored(ana, "s1")[2:] == [("user", "and later?"), ("assistant", "Mint tea.")]

        asked: list[Any] = [{"role": "user", "content": "the weather?"}]
        with wrapped.chat.completions.create(model="m", messages=asked, stream=True) as stream:
            for _ in stream:
                pass
        asked += [
            {"role": "assistant", "tool_calls": [WEATHER]},
            {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
        ]
        wrapped.chat.completions.create(model="m", messages=asked)
        assert [each["role"] for each in sent(model)["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
        ]
    kept = ana.sync.conversations.read("sessions", key="s1").data
    assert [each.role for each in kept[4:]] == ["user", "assistant", "tool", "assistant"]
    assert kept[5].tool_calls == [WEATHER]
    assert kept[6].tool_call_id == "call_1"
    assert wrapped.api_key == "k"  # everything else is the provider's own


async def test_async_chat_completions(ana, answering) -> None:
    with answering(completion("Green tea."), CHAT_STREAM, CHAT_STREAM) as model:
        provider = openai.AsyncOpenAI(base_url=model.url, api_key="k")
        ask = {
            "model": "m",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "tea?"}]}],
        }
        await ana.awaited.wrap(provider, session="s1").chat.completions.create(**ask)
        wrapped = ana.sync.wrap(provider, session="s1")
        async for _ in await wrapped.chat.completions.create(**ask, stream=True):
            pass
        async with await wrapped.chat.completions.create(**ask, stream=True) as stream:
            await anext(stream.__aiter__())  # the reader leaves after the first words
    assert stored(ana, "s1") == [
        ("user", "tea?"), ("assistant", "Green tea."), ("user", "tea?"), ("assistant", "Mint tea."),
        ("user", "tea?"), ("assistant", "Mint "),
    ]  # fmt: skip
    with pytest.raises(TypeError, match="async client"):
        ana.awaited.wrap(openai.OpenAI(base_url=model.url, api_key="k"), session="s1")


async def test_responses(ana, answering) -> None:
    item = {"type": "message", "id": "i", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Green tea.", "annotations": []}]}  # fmt: skip
    body = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": [item],
            "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "status": "completed"}  # fmt: skip
    delta = {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0,
             "delta": "Mint tea.", "sequence_number": 1, "logprobs": []}  # fmt: skip
    with answering((200, JSON, json.dumps(body).encode()), events(delta, named=True)) as model:
        wrapped = ana.sync.wrap(openai.OpenAI(base_url=model.url, api_key="k"), session="s1")
        wrapped.responses.create(model="m", input="tea or cake?", instructions="Be kind.")
        assert sent(model)["instructions"].startswith("Be kind.")
        assert "allergic to nuts" in sent(model)["instructions"]
        for _ in wrapped.responses.create(model="m", input="and later?", stream=True):
            pass
        assert [each["content"] for each in sent(model)["input"]] == [
            "tea or cake?",
            "Green tea.",
            "and later?",
        ]
    assert stored(ana, "s1") == [
        ("user", "tea or cake?"), ("assistant", "Green tea."), ("user", "and later?"), ("assistant", "Mint tea."),
    ]  # fmt: skip


async def test_anthropic_messages(ana, answering) -> None:
    whole = (200, JSON, json.dumps(message(text("Green tea."), TOOL_USE)).encode())
    with answering(whole, MESSAGE_STREAM, MESSAGE_STREAM) as model:
        wrapped = ana.sync.wrap(Anthropic(base_url=model.url, api_key="k"), session="s1")
        ask = {"model": "m", "max_tokens": 10}
        asked: list[Any] = [{"role": "user", "content": "tea or cake?"}]
        wrapped.messages.create(**ask, messages=asked, system="Be kind.")
        assert sent(model)["system"][0]["text"] == "Be kind."
        assert "allergic to nuts" in sent(model)["system"][1]["text"]
        asked += [
            {"role": "assistant", "content": [text("Green tea."), TOOL_USE]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                    text("and?"),
                ],
            },
        ]
        for _ in wrapped.messages.create(**ask, messages=asked, stream=True):
            pass
        with wrapped.messages.stream(
            **ask, messages=[{"role": "user", "content": "later?"}]
        ) as stream:
            assert "".join(stream.text_stream) == "Mint tea."
        assert sent(model)["messages"][-1]["content"][-1]["text"] == "later?"
    assert stored(ana, "s1") == [
        ("user", "tea or cake?"), ("assistant", "Green tea."),
        ("tool", "rain"), ("user", "and?"), ("assistant", "Mint tea."),
        ("user", "later?"), ("assistant", "Mint tea."),
    ]  # fmt: skip
    kept = ana.sync.conversations.read("sessions", key="s1").data
    assert [json.loads(kept[at].tool_calls[0]["function"]["arguments"]) for at in (1, 4)] == [
        {"at": "Porto"}
    ] * 2


async def test_async_anthropic(ana, answering) -> None:
    whole = (200, JSON, json.dumps(message(text("Green tea."))).encode())
    with answering(whole, MESSAGE_STREAM, MESSAGE_STREAM) as model:
        wrapped = ana.awaited.wrap(AsyncAnthropic(base_url=model.url, api_key="k"), session="s1")
        ask: dict[str, Any] = {
            "model": "m",
            "max_tokens": 10,
            "messages": [{"role": "user", "content": "tea?"}],
        }
        await wrapped.messages.create(**ask)
        async for _ in await wrapped.messages.create(**ask, stream=True):
            pass
        async with wrapped.messages.stream(**ask) as stream:
            async for _ in stream.text_stream:
                pass
    assert stored(ana, "s1") == [
        ("user", "tea?"), ("assistant", "Green tea."), ("user", "tea?"), ("assistant", "Mint tea."),
        ("user", "tea?"), ("assistant", "Mint tea."),
    ]  # fmt: skip


def test_a_failure_of_memory_does_not_fail_the_model_call(answering, caplog) -> None:
    unreachable = Client("http://127.0.0.1:9", "hf_live_nothing", max_retries=0)
    ask = {"model": "m", "messages": [{"role": "user", "content": "tea?"}]}
    with answering(completion("Green tea.")) as model, unreachable:
        provider = openai.OpenAI(base_url=model.url, api_key="k")
        with caplog.at_level(logging.WARNING):
            reply = unreachable.wrap(provider, session="s1").chat.completions.create(**ask)
        assert reply.choices[0].message.content == "Green tea."
        assert sent(model)["messages"] == ask["messages"]
        assert len(caplog.records) == 2
        with pytest.raises((ConnectionFailed, BackendUnavailable)):
            unreachable.wrap(provider, session="s1", strict=True).chat.completions.create(**ask)
        with pytest.raises(ValueError, match="name a session"):
            unreachable.wrap(provider)
        with pytest.raises(TypeError, match="neither"):
            unreachable.wrap(object(), session="s1")
