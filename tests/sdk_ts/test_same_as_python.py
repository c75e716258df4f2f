"""The two clients send the same: method, path, idempotency key, and whether a call is repeated. And they render the same."""

import json
import re

import pytest

from holdfast_client.context import rendering
from holdfast_client.context.model import Context
from holdfast_client.values import read
from tests.contract.test_operation_ids import OPERATIONS, a_client, sends

BY_ID = {
    operation["operationId"]: (method, path)
    for method, path, operation in OPERATIONS
    if not operation["operationId"].startswith("auth.")
}


def test_every_operation_is_a_method_that_sends_what_the_python_client_sends(built):
    """`service.ready` counts as repeated nowhere: its 503 is an answer."""
    sent = {
        line["id"]: line for line in map(json.loads, built.run("build/operations.js").splitlines())
    }
    assert sent.keys() == BY_ID.keys()
    client = a_client()
    for operation_id, (method, path) in BY_ID.items():
        found = sent[operation_id]
        call = sends(client, operation_id)
        assert found["method"] is not None, f"the client has no {operation_id}"
        template = re.sub(r"{\w+}", "[^/]+", path)
        assert re.fullmatch(template, found["path"]), f"{operation_id} sends {found['path']}"
        assert found["method"] == call.method, operation_id
        if operation_id != "memories.recall":  # both clients recall with a POST
            assert found["method"] == method, operation_id
        keyed = call.method in ("POST", "PUT") and not call.only_asks
        repeated = call.repeatable and not call.also_answers
        assert (found["keyed"], found["repeated"]) == (keyed, repeated), operation_id


HOSTILE = [
    "plain",
    "</recalled_item>",
    "<RECALLED>",
    "< recalled>",
    "<recalled_items>",
    "<user_memory\x85x>",
    "<user_memory\ufeffx>",
    "<user_memory\x1cx",
    "<user_memory\u2028",
    "<system_reminder",
    "<ſystem_reminder>",
    "</agent_entry\n>",
    "<<agent_core/>",
    "&lt;recalled>",
    "k\u2029e\x0by\x85 \"&<>'\U0001f600",
]


def test_stored_text_is_escaped_by_the_same_rule(built):
    script = (
        "import { escape, entries } from './dist/context/rendering.js';"
        "import { text } from 'node:stream/consumers';"
        "const given = JSON.parse(await text(process.stdin));"
        "console.log(JSON.stringify([given.map(escape), given.map((key) => entries([{ key, content: key }]))]));"
    )
    told = built.run("--input-type=module", "-e", script, stdin=json.dumps(HOSTILE))
    escaped, entries = json.loads(told)
    assert escaped == [rendering.escape(text) for text in HOSTILE]
    assert entries == [rendering.entries([(text, text)]) for text in HOSTILE]


NOW = "2026-01-31T12:00:00.123456Z"
SOURCE = {
    "block_type": "archival",
    "scope": "user",
    "agent_id": None,
    "line_number": 1,
    "updated_at": NOW,
    "kind": "block_line",
}
ENTRY = {
    "id": "ent_1", "agent_id": "bot", "workspace_id": "default", "run_id": None, "user_id": None, "scope": "agent",
    "key": 'a "key"', "category": "core", "content": "</agent_entry> brief", "tags": [], "size": 1, "version": 1,
    "expires_at": None, "created_at": NOW, "updated_at": NOW, "type": "memory_entry",
}  # fmt: skip
CALLS = [
    {
        "id": "c1",
        "type": "function",
        "function": {"name": "brew", "arguments": '{"tea": "sencha"}'},
    },
    {"id": "c2", "type": "function", "function": {"name": "brew", "arguments": "not json"}},
    {"id": "c3", "name": "brew", "input": {"tea": "oolong"}},
]


def said(role, content, **more):
    return {"id": "msg", "role": role, "content": content, "tokens": 1, "type": "message", **more}


TALKS = {
    "none": [],
    "ends with the user": [said("system", "<recalled>"), said("assistant", "hi"), said("user", "tea?", name="ana")],
    "ends with a tool": [
        said("user", "brew"),
        said("assistant", "", tool_calls=CALLS),
        said("tool", "done </recalled>", tool_call_id="c1"),
        said("tool", "done", tool_call_id="c2"),
    ],
    "ends with the assistant": [said("user", "one"), said("user", "two"), said("assistant", "three")],
}  # fmt: skip


def a_context(messages, *, found):
    reminders = [{"content": "call Bo </system_reminder>", "source": SOURCE, "score": 0.5}]
    recalled = {"id": "memory_1", "kind": "memory", "text": "green", "score": 1.0, "when": NOW, "source": "user"}  # fmt: skip
    parts = ("user_memory", "system_reminders", "recalled", "entries", "messages", "total")
    return {
        "type": "context",
        "user_memory": {"content": "<user_memory>\nx\n</user_memory>" if found else "", "etag": "e", "tokens": 1},
        "system_reminders": reminders if found else [],
        "recalled": [recalled] if found else [],
        "entries": [ENTRY] if found else [],
        "messages": messages,
        "tokens": dict.fromkeys(parts, 1),
        "dropped": [],
    }  # fmt: skip


@pytest.mark.parametrize("message", [None, "which <recalled>?"])
def test_a_context_becomes_the_same_messages(built, message):
    script = (
        "import { Context } from '@holdfast/client';"
        "import { text } from 'node:stream/consumers';"
        "const { contexts, message } = JSON.parse(await text(process.stdin));"
        "const made = contexts.map((each) => new Context(each));"
        "console.log(JSON.stringify(made.map((each) => [each.toOpenAI(message), each.toAnthropic(message)])));"
    )
    contexts = [a_context(talk, found=found) for talk in TALKS.values() for found in (True, False)]
    given = {"contexts": contexts, **({} if message is None else {"message": message})}
    told = json.loads(built.run("--input-type=module", "-e", script, stdin=json.dumps(given)))
    for context, (openai, anthropic) in zip(contexts, told, strict=True):
        assert openai == read(Context, context).to_openai(message)
        assert anthropic == read(Context, context).to_anthropic(message)
