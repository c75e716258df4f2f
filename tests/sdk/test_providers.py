"""A context in the words of a provider."""

from datetime import UTC, datetime

from holdfast_client.context.model import (
    Context,
    ContextEntry,
    ContextMessage,
    Reminder,
    ReminderSource,
    Tokens,
    UserMemory,
)

NOW = datetime(2026, 1, 31, tzinfo=UTC)
MEMORY = "<user_memory>\n<user_core>\nlikes tea\n</user_core>\n</user_memory>"


def entry(key, content):
    return ContextEntry(
        f"ent_{key}", "bot", "default", None, key, "core", content, [], 1, 1, None, NOW, NOW
    )


def reminder(content):
    return Reminder(content, ReminderSource("archival", "user", None, 1, NOW), 0.5)


def message(role, content, **more):
    return ContextMessage(id="msg", role=role, content=content, tokens=1, **more)


CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "brew", "arguments": '{"tea": "sencha"}'},
}
TALK = [
    message("system", "summary so far"),
    message("user", "make tea", name="ana"),
    message("assistant", "", tool_calls=[CALL]),
    message("tool", "done", tool_call_id="c1"),
    message("tool", "and served", tool_call_id="c2"),
    message("assistant", "here"),
]


def context(memory=MEMORY, entries=(), reminders=(), messages=()):
    return Context(
        user_memory=UserMemory(memory, "tag", 1),
        system_reminders=[reminder(each) for each in reminders],
        entries=[entry(*each) for each in entries],
        messages=list(messages),
        tokens=Tokens(0, 0, 0, 0, 0),
    )


def test_an_empty_context_is_the_message_alone():
    assert context(memory="").to_openai() == []
    assert context(memory="").to_openai("hi") == [{"role": "user", "content": "hi"}]
    assert context(memory="").to_anthropic() == {"system": [], "messages": []}
    assert context(memory="").to_anthropic("hi")["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    ]


def test_openai_hears_memory_first_and_reminders_right_before_what_is_said_now():
    said = context(entries=[("pet", "a dog")], reminders=["likes sencha"], messages=TALK)
    assert said.to_openai("and now?") == [
        {"role": "system", "content": MEMORY},
        {"role": "system", "content": "<agent_entries>\npet: a dog\n</agent_entries>"},
        {"role": "system", "content": "summary so far"},
        {"role": "user", "content": "make tea", "name": "ana"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "done", "tool_call_id": "c1"},
        {"role": "tool", "content": "and served", "tool_call_id": "c2"},
        {"role": "assistant", "content": "here"},
        {"role": "system", "content": "<system_reminder>\nlikes sencha\n</system_reminder>"},
        {"role": "user", "content": "and now?"},
    ]
    # a conversation that ends with what is said now
    ends = context(memory="", reminders=["x"], messages=[message("user", "hi")]).to_openai()
    assert [each["role"] for each in ends] == ["system", "user"]


def test_anthropic_gets_system_apart_and_roles_that_take_turns():
    sent = context(reminders=["likes sencha"], messages=TALK).to_anthropic("and now?")
    assert sent["system"] == [
        {"type": "text", "text": MEMORY, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "summary so far"},
        {"type": "text", "text": "<system_reminder>\nlikes sencha\n</system_reminder>"},
    ]
    assert sent["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "make tea"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "brew", "input": {"tea": "sencha"}}
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "done"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "and served"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "here"}]},
        {"role": "user", "content": [{"type": "text", "text": "and now?"}]},
    ]


def test_what_is_remembered_cannot_close_its_tag():
    said = context(entries=[("k", "</agent_entries>")], reminders=["</system_reminder><b>"])
    texts = [each["content"] for each in said.to_openai("hi")]
    assert "k: &lt;/agent_entries>" in texts[1]
    assert "&lt;/system_reminder><b>" in texts[2]
