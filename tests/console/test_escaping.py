"""Stored texts are escaped wherever they are shown: a probe of its own in every field that can be stored, on every page."""

import re
from datetime import timedelta
from urllib.parse import quote

from psycopg.types.json import Jsonb

from holdfast.kernel import clock, jobs
from tests.console.places import PLACES, check_page

# What a field holds: it would end an attribute, open an element with a script, and be run by a second template.
PROBE = "\"'><img src=x onerror={name}>{{{{7*7}}}}"
# Fields that are stored and that no page shows, and why. (What a browser calls itself is not stored at all.)
NOT_SHOWN = {
    "message.metadata": "is for programs",
    "store_entry.metadata": "is for programs",
    "insight.insight": "has no page: it is for the agents that wrote it",
    "message.tool_call_id": "is for programs",
}


def probe(name):
    """The text that a field holds; the name in it says where it came from."""
    return PROBE.format(name=marker(name))


def marker(name):
    """The part of a probe that stays as it is, however it is escaped."""
    return "p" + re.sub(r"[._]", "", name)


class Filled:
    """What was stored: through the API where it takes the text, and in the database where a service writes it."""

    def __init__(self, admin, api):
        self.admin, self.api = admin, api
        self.fields = []

    def __call__(self, *names):
        """The probes of fields."""
        self.fields += names
        return probe(names[0]) if len(names) == 1 else [probe(name) for name in names]

    async def make(self, client, method, path, /, **body):
        reply = await client.request(method, path, json=body)
        assert reply.status_code in (200, 201, 202), (path, reply.text)
        return reply.json()


async def directory(fill):
    api, admin = fill.api, fill.admin
    await fill.make(
        admin,
        "PATCH",
        "/org",
        name=fill("org.name"),
        redact_patterns=[re.escape(fill("org.redact_patterns"))],
    )
    reference = {"id": "sessions", "key": fill("agent.reference")}
    await fill.make(
        admin, "PUT", "/agents/bot", name=fill("agent.name"), memory=[reference, {"id": "short"}]
    )
    await fill.make(api, "PUT", "/projects/plan", name=fill("project.name"))
    await fill.make(admin, "PUT", "/workspaces/w", name=fill("workspace.name"))
    await fill.make(
        admin, "POST", "/users", user_id="cleo", email=f"x@{fill('user.email')}".replace(" ", "/")
    )
    return ["/agents/bot", "/projects/plan", "/people/cleo"]


async def blocks(fill):
    for kind in ("core", "archival"):
        for text in (probe(f"block.{kind}.before"), fill(f"block.{kind}")):
            current = (await fill.api.get(f"/memory/blocks/{kind}")).json().get("updated_at")
            body = {"content": text, "expected_updated_at": current}
            await fill.make(fill.api, "PUT", f"/memory/blocks/{kind}", **body)
        fill(f"block.{kind}.before")
    return ["/blocks/core", "/blocks/archival"]


async def entries(fill):
    key = fill("entry.key")
    for text in (probe("entry.before"), fill("entry.content")):
        await fill.make(
            fill.api,
            "PUT",
            f"/agents/bot/entries/{quote(key, safe='')}",
            content=text,
            tags=[probe("entry.tag")],
            category=probe("entry.category"),
            scope="user",
        )
    fill("entry.before", "entry.tag", "entry.category")
    return [
        "/entries/bot",
        "/entries/bot/hydration",
        f"/entries/bot/entry?key={quote(key)}&scope=user",
    ]


async def memories(fill):
    api = fill.api
    source = {"kind": "url", "ref": fill("source.ref"), "quote": fill("source.quote")}
    memory = await fill.make(
        api,
        "POST",
        "/memories",
        key=fill("memory.key"),
        value=fill("memory.value"),
        summary=fill("memory.summary"),
        category=fill("memory.category"),
        tags=[fill("memory.tag")],
        source=fill("memory.source"),
        sources=[source],
    )
    path = f"/memories/{memory['id']}"
    attached = await api.post(
        f"{path}/assets", params={"name": fill("asset.name")}, content=b"hello"
    )
    assert attached.status_code == 201, attached.text
    await fill.make(api, "PATCH", path, value=fill("memory.value.after"))
    await fill.make(api, "POST", "/memories", key="twice", value=probe("memory.value.after"))
    await fill.make(api, "POST", "/insights", insight=fill("insight.insight"))
    return [path, f"/memories?category={quote(probe('memory.category'))}"]


async def graph(fill):
    api = fill.api
    node = await fill.make(
        api,
        "POST",
        "/memory-nodes",
        name=fill("node.name"),
        kind=fill("node.kind"),
        aliases=[fill("node.alias")],
        summary=fill("node.summary"),
        items=[{"content": fill("item.content"), "source": fill("item.source")}],
    )
    other = await fill.make(api, "POST", "/memory-nodes", name=fill("node.other"), kind="k")
    joined = {"from": node["id"], "to": other["id"], "relation": fill("edge.relation")}
    await fill.make(api, "POST", "/memory-nodes/edges", **joined)
    return [f"/nodes/{node['id']}", f"/nodes?q={quote(probe('node.name'))}"]


async def stores(fill):
    api = fill.api
    body = {"name": fill("store.name"), "description": fill("store.description")}
    store = await fill.make(api, "POST", "/memory_stores", **body)
    base = f"/memory_stores/{store['id']}"
    entry = await fill.make(
        api,
        "POST",
        f"{base}/memories",
        path="a/" + fill("store_entry.path"),
        content=fill("store_entry.content"),
        metadata={"x": fill("store_entry.metadata")},
    )
    after = {"content": fill("store_entry.content.after"), "version": 1}
    await fill.make(api, "PUT", f"{base}/memories/{entry['id']}", **after)
    version = (await api.get(f"{base}/versions")).json()["data"][0]["id"]
    page = f"/stores/{store['id']}"
    return [
        page,
        f"{page}?path=a/",
        f"{page}/versions",
        f"{page}/entries/{entry['id']}",
        f"{page}/versions/{version}",
    ]


async def conversations(fill):
    api, key = fill.api, "chat"
    resource = {
        "resource": "memory",
        "id": "short",
        "type": "message_count_based",
        "max_messages": 2,
        "default_key_template": "{{.session_id}}",
        "persistence": {"type": "postgres"},
    }
    await fill.make(fill.admin, "PUT", "/memory-resources/short", **resource)
    call = {"id": "c1", "type": "function", "function": {"name": fill("tool.name"), "arguments": fill("tool.arguments")}}  # fmt: skip
    messages = [
        {"role": "user", "content": fill("flushed.content"), "name": "ana"},
        {"role": "assistant", "content": "b", "tool_calls": [call]},
        {"role": "tool", "content": fill("tool.content"), "tool_call_id": fill("message.tool_call_id")},
        {"role": "user", "content": fill("message.content"), "metadata": {"x": fill("message.metadata")}},
    ]  # fmt: skip
    body = {"key": key, "messages": messages}
    await fill.make(api, "POST", "/conversations/sessions/append", **body)
    await fill.make(api, "POST", "/conversations/short/append", **body)
    return [
        "/conversations/sessions",
        f"/conversations/sessions/messages?key={key}",
        f"/conversations/short/messages?key={key}",
        f"/conversations/short/messages?key={key}&flushed=1",
    ]


async def learning(fill, connection, org_id, job):
    """Proposals and a job, whose texts a service writes: set in the database."""
    said = {"role": "user", "content": "Remember that I park on level 3."}
    learned = await fill.make(fill.api, "POST", "/memories/extract", messages=[said])
    proposal = learned["proposals"][0]["id"]
    connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
    source = [{"kind": "message", "ref": "m", "quote": fill("proposal.quote")}]
    connection.execute(
        "UPDATE proposals SET content = %s, before = %s, reason = %s, key = %s, kind = %s, extractor = %s, sources = %s,"
        " job_id = %s, status = 'pending' WHERE org_id = %s AND id = %s",
        [
            *fill("proposal.content", "proposal.before", "proposal.reason"),
            *fill("proposal.key", "proposal.kind", "proposal.extractor"),
            *(Jsonb(source), job, org_id, proposal),
        ],
    )
    result = {probe("job.result.name"): [fill("job.result.name", "job.result.value")[1]]}
    connection.execute(
        "UPDATE jobs SET error = %s, subject = %s, result = %s, status = 'failed', finished_at = now()"
        " WHERE org_id = %s AND id = %s",
        [*fill("job.error", "job.subject"), Jsonb(result), org_id, job],
    )
    fault = {"at": "2026-01-31T12:00:00Z", "code": "x", "message": fill("conversation.error")}
    connection.execute(
        "UPDATE conversations SET last_error = %s WHERE org_id = %s", [Jsonb(fault), org_id]
    )
    return ["/proposals?status=all", f"/jobs/{job}", f"/proposals?job_id={job}"]


async def conflicts(browser, fill, addresses):
    """The pages that show a stale form beside what is stored; each form's texts are probes."""
    memory = next(each for each in addresses if each.startswith("/memories/memory_"))
    stored = next(each for each in addresses if "/entries/mem_" in each)
    typed = probe("conflict")
    entry = (await fill.api.get("/agents/bot/entries")).json()["data"][0]
    forms = {
        "/blocks/core": {"content": typed, "expected_updated_at": "2026-01-31T12:00:00Z"},
        memory.split("?")[0]: {"key": typed, "value": typed, "tags": typed, "version": "9"},
        stored: {"content": typed, "path": f"a/{typed}", "version": "9"},
        "/entries/bot": {
            "key": entry["key"],
            "content": typed,
            "category": typed[:60],
            "tags": typed[:60],
            "scope": entry["scope"],
            "version": "9",
        },
    }
    shown = {}
    for address, form in forms.items():
        page = (await browser.send(address, status=409, **form)).text
        assert "meanwhile" in page, address
        shown[f"{address} (conflict)"] = page
    return shown


async def test_every_stored_text_is_escaped_on_every_page(ana, org, db, owner_connection):
    fill = Filled(org.client(), org.client(Holdfast_User="ana"))
    addresses = [*PLACES, "/account"]
    for make in (conversations, directory, blocks, entries, memories, graph, stores):
        addresses += await make(fill)
    async with db.begin(org.caller("ana")) as tx:
        job = await jobs.enqueue(tx, "settle", "x", not_before=clock.now() + timedelta(hours=1))
    addresses += await learning(fill, owner_connection, org.id, job)
    asked = await ana.send("/keys", status=403, kind="user", name=probe("step-up"))
    await ana.step_up()
    minted = await ana.send("/keys", status=200, kind="user", name=fill("key.name"))
    question = quote(probe("asked"))
    addresses += [f"/search?q={question}&agent_id=bot", f"/prompt?message={question}&agent_id=bot"]
    addresses += [f"/activity?actor={question}", f"/search?q=x&ids={question}"]
    addresses += ["/search?q=onerror+img+src&limit=100&agent_id=bot"]
    shown = {"/keys (made)": minted.text, "/keys (step-up)": asked.text}
    for address in addresses:
        shown[address] = await ana.open(address)
    refused = await ana.send("/memories", status=422, key=probe("refused"), value="x" * 8_001)
    shown["/memories (refused)"] = refused.text
    shown |= await conflicts(ana, fill, addresses)
    wrong = []
    for address, text in shown.items():
        check_page(text)
        wrong += [f"{address}: {found}" for found in re.findall(r"<img[^>]*>", text)]
        wrong += [f"{address}: a template was run" for _ in re.findall(r"onerror=\w+&gt;49", text)]
    assert f"{marker('memory.value.after')}&gt;" in shown["/hygiene"].split('id="duplicates"')[1]
    everything = "\n".join(shown.values())
    # JSON on a page is escaped as JSON is.
    missing = {
        name
        for name in fill.fields
        if f"{marker(name)}&gt;" not in everything and f"{marker(name)}\\u003e" not in everything
    }
    assert wrong == []
    assert missing == set(NOT_SHOWN) & set(fill.fields), (
        "shown nowhere, or shown though it says not"
    )
    assert len(set(fill.fields)) >= 55
