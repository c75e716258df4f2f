"""The two clients send the same: method, path, idempotency key, and whether a call is repeated. And they render the same."""

import json
import re

from holdfast_client.context import rendering
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
