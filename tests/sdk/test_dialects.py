"""How requests and replies of the providers' APIs are read and extended, and what a wrapped call stores: without a service."""

import logging
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast_client import BackendUnavailable, Scope
from holdfast_client.context.model import (
    Context,
    ContextMessage,
    RecalledText,
    Tokens,
    UserMemory,
)
from holdfast_client.wrap.anthropic import MessageReading, Messages
from holdfast_client.wrap.dialect import since_last_reply, text_of
from holdfast_client.wrap.memory import Turn
from holdfast_client.wrap.openai import ChatCompletions, ChatReading, Responses, ResponsesReading

NOW = datetime(2026, 1, 31, tzinfo=UTC)
USER = {"role": "user", "content": "tea?"}
WEATHER = {"name": "weather", "arguments": '{"at": "Porto"}'}
STORED_CALL = {"id": "c1", "type": "function", "function": WEATHER}


def context(memory="Ana is allergic to nuts.", found=(), messages=()):
    return Context(
        user_memory=UserMemory(memory, "tag", 1),
        system_reminders=[],
        recalled=[RecalledText("memory_1", "memory", text, 0.5, NOW, "manual") for text in found],
        entries=[],
        messages=list(messages),
        tokens=Tokens(0, 0, 0, 0, 0, 0),
    )


def earlier(role, content, **more):
    return ContextMessage(id="msg", role=role, content=content, tokens=1, **more)


BEFORE = [
    earlier("system", "a summary"),
    earlier("user", "cake?"),
    earlier("assistant", "", tool_calls=[STORED_CALL]),
    earlier("tool", "rain", tool_call_id="c1"),
    earlier("assistant", "No."),
]


def test_content_is_a_text_or_parts_of_which_some_are_text():
    assert text_of("tea") == "tea"
    assert text_of(None) == text_of([]) == ""
    parts = [{"text": "a"}, {"image": 1}, SimpleNamespace(text="b"), {"text": None}]
    assert text_of(parts) == "a\nb"


def test_what_is_new_follows_the_last_reply():
    assert since_last_reply([]) == ([], False)
    assert since_last_reply([USER]) == ([USER], False)
    reply = SimpleNamespace(role="assistant", content="Green.")
    assert since_last_reply([USER, reply]) == ([], True)
    assert since_last_reply([reply, USER, reply, USER]) == ([USER], True)


# --- chat completions --------------------------------------------------------------------------------------------------


def test_a_chat_without_a_user_message_asks_nothing():
    asked = ChatCompletions().asked({"messages": [{"role": "system", "content": "Be kind."}]})
    assert (asked.text, asked.new, asked.turns, asked.has_history) == ("", (), 0, False)
    assert ChatCompletions().asked({}).text == ""


def test_of_a_chat_the_users_words_and_results_of_tools_are_stored():
    messages = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "old"},
        {"role": "assistant", "tool_calls": [STORED_CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "rain"}]},
        USER,
    ]
    asked = ChatCompletions().asked({"messages": messages})
    assert (asked.text, asked.turns, asked.has_history) == ("tea?", 2, True)
    assert asked.new == ({"role": "tool", "content": "rain", "tool_call_id": "c1"}, USER)


def test_memory_stands_after_the_systems_own_messages_and_recalled_texts_with_the_question():
    system = {"role": "developer", "content": "Be kind."}
    request = {"model": "m", "messages": [system, USER]}
    dialect = ChatCompletions()
    changed = dialect.extended(request, context(found=["It rained."]), dialect.asked(request))
    own, memory, last = changed["messages"]
    assert (own, changed["model"]) == (system, "m")
    assert memory == {"role": "system", "content": "Ana is allergic to nuts."}
    assert "It rained." in last["content"]
    assert last["content"].endswith("tea?")
    assert request["messages"] == [system, USER]  # the caller's own list stays as it is


def test_recalled_texts_are_a_part_of_a_question_that_has_parts():
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    request = {"messages": [{"role": "user", "content": [image]}, {"role": "tool", "content": "x"}]}
    dialect = ChatCompletions()
    changed = dialect.extended(request, context("", found=["It rained."]), dialect.asked(request))
    first, second = changed["messages"][0]["content"]
    assert "It rained." in first["text"]
    assert second == image
    nobody = {"messages": [{"role": "system", "content": "x"}]}
    assert dialect.extended(nobody, context("", found=["x"]), dialect.asked(nobody)) == nobody


def test_earlier_turns_are_added_only_to_a_request_that_has_none():
    dialect = ChatCompletions()
    alone = {"messages": [USER]}
    with_reply = {"messages": [USER, SimpleNamespace(role="assistant", model_dump=lambda **_: {"role": "assistant", "content": "Green."}), USER]}  # fmt: skip
    added = dialect.extended(alone, context("", messages=BEFORE), dialect.asked(alone))["messages"]
    assert [each["role"] for each in added] == ["system", "user", "assistant", "tool", "assistant", "user"]  # fmt: skip
    assert added[2]["tool_calls"] == [STORED_CALL]
    kept = dialect.extended(with_reply, context("", messages=BEFORE), dialect.asked(with_reply))
    assert [each["role"] for each in kept["messages"]] == ["user", "assistant", "user"]


def test_a_chat_reply_is_its_first_choice():
    call = SimpleNamespace(id="c1", function=SimpleNamespace(name="weather", arguments=None))
    message = {"content": None, "tool_calls": [call]}
    [said] = ChatCompletions().said({"choices": [{"message": message}, {"message": USER}]})
    assert said["tool_calls"][0]["function"] == {"name": "weather", "arguments": ""}
    assert ChatCompletions().said({"choices": []}) == []
    assert ChatCompletions().said({"choices": [{"message": {"content": ""}}]}) == []


def test_parts_of_streamed_calls_are_put_together_by_their_place():
    reading = ChatReading()
    for parts in (
        [{"index": 0, "id": "c1", "function": {"name": "weather", "arguments": '{"at"'}}],
        [{"index": 1, "id": "c2", "function": {"name": "time"}}],
        [{"index": 0, "function": {"arguments": ': "Porto"}'}}],
    ):
        reading.add({"choices": [{"delta": {"tool_calls": parts}}]})
    reading.add({"choices": []})  # the usage comes without a choice
    [said] = reading.said()
    assert said["tool_calls"][0] == STORED_CALL
    assert said["tool_calls"][1]["function"] == {"name": "time", "arguments": ""}
    assert ChatReading().said() == []


# --- responses ---------------------------------------------------------------------------------------------------------


def test_the_input_of_a_response_is_a_text_or_items():
    dialect = Responses()
    assert dialect.asked({"input": "tea?"}).new == (USER,)
    assert dialect.asked({}).new == ({"role": "user", "content": ""},)
    items = [
        {"type": "function_call", "call_id": "c1", **WEATHER},
        {"type": "function_call_output", "call_id": "c1", "output": "rain"},
        {"role": "user", "content": [{"type": "input_text", "text": "and?"}]},
    ]
    asked = dialect.asked({"input": items})
    assert asked.new == (
        {"role": "tool", "content": "rain", "tool_call_id": "c1"},
        {"role": "user", "content": "and?"},
    )
    assert not asked.has_history
    assert dialect.asked({"input": "x", "previous_response_id": "r1"}).has_history


def test_earlier_turns_of_a_response_are_texts_before_its_input():
    dialect = Responses()
    for given in ("tea?", [USER]):
        request = {"input": given}
        changed = dialect.extended(request, context("", messages=BEFORE), dialect.asked(request))
        assert changed["input"] == [
            {"role": "user", "content": "cake?"},
            {"role": "assistant", "content": "No."},
            USER,
        ]
        assert changed["instructions"] == ""
    goes_on = {"input": "tea?", "previous_response_id": "r1", "instructions": "Be kind."}
    kept = dialect.extended(goes_on, context(messages=BEFORE), dialect.asked(goes_on))
    assert kept["input"] == "tea?"
    assert kept["instructions"] == "Be kind.\n\nAna is allergic to nuts."


def test_texts_and_calls_of_a_response_are_one_message():
    call = {"type": "function_call", "call_id": "c1", **WEATHER}
    text = {"type": "message", "content": [{"text": "Green."}]}
    [said] = Responses().said({"output": [{"type": "reasoning"}, text, call, text]})
    assert (said["content"], said["tool_calls"]) == ("Green.\nGreen.", [STORED_CALL])
    assert Responses().said({"output": None}) == []
    reading = ResponsesReading()
    for event in (
        {"type": "response.created"},
        {"type": "response.output_text.delta", "delta": "Gr"},
        {"type": "response.output_text.delta", "delta": None},
        {"type": "response.output_text.delta", "delta": "een."},
        {"type": "response.output_item.done", "item": text},
        {"type": "response.output_item.done", "item": call},
    ):
        reading.add(event)
    assert reading.said() == [
        {"role": "assistant", "content": "Green.", "tool_calls": [STORED_CALL]}
    ]


# --- anthropic ---------------------------------------------------------------------------------------------------------


def test_results_of_tools_are_no_question():
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "rain"}]}  # fmt: skip
    messages = [USER, {"role": "assistant", "content": "."}, {"role": "user", "content": [result]}]
    asked = Messages().asked({"messages": messages})
    assert (asked.text, asked.turns, asked.has_history) == ("tea?", 1, True)
    assert asked.new == ({"role": "tool", "content": "rain", "tool_call_id": "c1"},)


@pytest.mark.parametrize("system", [None, "Be kind.", [{"type": "text", "text": "Be kind."}]])
def test_memory_stands_after_the_requests_own_system_prompt(system):
    request = {"messages": [USER], **({} if system is None else {"system": system})}
    dialect = Messages()
    changed = dialect.extended(request, context(), dialect.asked(request))
    own = [] if system is None else ["Be kind."]
    assert [each["text"] for each in changed["system"]] == [*own, "Ana is allergic to nuts."]
    nothing = dialect.extended({"messages": [USER]}, context(""), dialect.asked({"messages": []}))
    assert "system" not in nothing


def test_earlier_turns_alternate_and_recalled_texts_stand_before_the_question():
    dialect, request = Messages(), {"messages": [USER]}
    found = context("", found=["It rained."], messages=BEFORE)
    messages = dialect.extended(request, found, dialect.asked(request))["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "user", "assistant", "user"]
    recalled, question = messages[-1]["content"]
    assert "It rained." in recalled["text"]
    assert question == {"type": "text", "text": "tea?"}


def test_a_streamed_message_is_its_texts_and_calls():
    reading = MessageReading()
    for event in (
        {"type": "message_start"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Green."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "weather"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"at": "Porto"}'}},
    ):  # fmt: skip
        reading.add(event)
    assert reading.said() == [
        {"role": "assistant", "content": "Green.", "tool_calls": [STORED_CALL]}
    ]


# --- a turn ------------------------------------------------------------------------------------------------------------


def turn(request: dict[str, Any], *, strict: bool = False) -> Turn:
    dialect = ChatCompletions()
    return Turn(Scope(session="s1"), dialect, request, dialect.asked(request), 500, strict)


def test_calls_about_one_user_message_have_one_id_and_the_next_has_another():
    first = turn({"messages": [USER]}).context_call()
    in_a_loop = turn({"messages": [USER, {"role": "tool", "content": "rain"}]}).context_call()
    again = turn({"messages": [USER, {"role": "assistant", "content": "."}, USER]}).context_call()
    ids = [call.json["message_id"] for call in (first, in_a_loop, again)]
    assert ids[0] == ids[1] != ids[2]
    assert first.json["max_tokens"] == 500
    assert turn({"messages": []}).context_call() is None


def test_what_was_asked_is_stored_with_its_reply_or_not_at_all():
    made = turn({"messages": [USER]})
    assert made.append_call([]) is None
    call = made.append_call([{"role": "assistant", "content": "Green."}])
    assert [each["content"] for each in call.json["messages"]] == ["tea?", "Green."]


def test_a_failure_of_memory_is_logged_or_raised(caplog):
    down = BackendUnavailable("the database is away")
    with caplog.at_level(logging.WARNING):
        turn({"messages": [USER]}).failed("reading", down)
    assert "the database is away" in caplog.text
    with pytest.raises(BackendUnavailable):
        turn({"messages": [USER]}, strict=True).failed("reading", down)
