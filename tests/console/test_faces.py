"""The pages of the faces: what each shows, filtered and in pages, and what its forms change."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from holdfast.kernel import clock
from holdfast.kernel.usage import Usage


async def talk(admin, api, *contents, key="chat", resource="short", kept_in="postgres"):
    """A conversation of a resource that keeps four messages."""
    made = {
        "resource": "memory",
        "id": resource,
        "type": "message_count_based",
        "max_messages": 4,
        "default_key_template": "{{.session_id}}",
        "persistence": {"type": kept_in},
    }
    assert (await admin.put(f"/memory-resources/{resource}", json=made)).status_code in (200, 201)
    for content in contents:
        body = {"key": key, "messages": [{"role": "user", "content": content}]}
        reply = await api.post(f"/conversations/{resource}/append", json=body)
        assert reply.status_code == 200, reply.text


# --- conversations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept_in", ["postgres", "redis"])
async def test_every_flush_is_listed_and_leads_to_what_it_took_out(
    ana, ben, org, api_of_ana, kept_in
):
    words = [f"word{number}" for number in range(12)]
    await talk(org.client(), api_of_ana, *words, kept_in=kept_in)
    path = "/conversations/short/messages?key=chat"
    page = await ana.open(path)
    history = page.split("<h2>Flush history</h2>")[1].split("</table>")[0]
    flushes = re.findall(r'href="([^"]+)#messages"', history)
    assert len(flushes) >= 2
    listed = re.findall(r"<p>(word\d+)</p>", page)
    assert listed == sorted(listed, key=lambda word: int(word[4:]))
    assert len(listed) <= 4
    everything = re.findall(r"<p>(word\d+)</p>", await ana.open(f"{path}&flushed=1"))
    assert [*everything, *listed] == [f"word{number}" for number in range(12)]
    by_flush = [
        re.findall(r"<p>(word\d+)</p>", await ana.open(address.replace("&amp;", "&")))
        for address in flushes
    ]
    assert [word for words in reversed(by_flush) for word in words] == everything
    theirs = await ben.open(path)  # under the same key, ben has a list of his own
    assert "No messages" in theirs
    assert "Flush history" not in theirs
    assert "word" not in await ben.open(f"{path}&flushed=1")


async def test_a_flush_is_rehearsed_and_then_done(ana, org, api_of_ana):
    await talk(org.client(), api_of_ana, "one", "two", "three")
    path = "/conversations/short/messages?key=chat"
    before = (await api_of_ana.get("/conversations/short/stats", params={"key": "chat"})).json()
    rehearsed = await ana.open(f"{path}&rehearse=1")
    assert "A flush now" in rehearsed
    after = (await api_of_ana.get("/conversations/short/stats", params={"key": "chat"})).json()
    assert after["message_count"] == before["message_count"] == 3
    done = await ana.send("/conversations/short/flush", key="chat")
    assert done.headers["location"].endswith("key=chat&notice=flushed")
    await ana.send("/conversations/short/flush", status=400)
    await ana.open("/conversations/nowhere", 404)
    await ana.open("/conversations/nowhere/messages?key=chat", 404)
    await ana.open("/conversations/short/messages", 400)


async def test_a_long_conversation_is_shown_in_parts(ana, org, api_of_ana):
    said = [{"role": "user", "content": f"line {number}."} for number in range(95)]
    body = {"key": "long", "messages": said}
    assert (await api_of_ana.post("/conversations/sessions/append", json=body)).status_code == 200
    path, seen = "/conversations/sessions/messages?key=long", []
    while True:
        page = await ana.open(path)
        shown = re.findall(r"<p>line (\d+)\.</p>", page)
        assert len(shown) <= 40
        seen = [*shown, *seen]
        older = re.search(r'href="([^"]+)">← Older', page)
        if older is None:
            break
        path = older[1].replace("&amp;", "&")
    assert list(dict.fromkeys(seen)) == [str(number) for number in range(95)]
    assert "95 messages, 56 to 95 shown" in await ana.open(
        "/conversations/sessions/messages?key=long"
    )


async def test_looking_at_a_conversation_is_no_use_of_its_messages(ana, org, api_of_ana, rows_of):
    await talk(org.client(), api_of_ana, "one", "two", "three")
    before = rows_of(org.id)
    for more in ("", "&flushed=1", "&rehearse=1"):
        await ana.open(f"/conversations/short/messages?key=chat{more}")
    after = rows_of(org.id)
    assert {name for name in before if before[name] != after[name]} <= {"usage_minutes"}


# --- blocks and entries ----------------------------------------------------------------------------------------------


async def test_a_block_of_an_agent_is_apart_and_a_deleted_one_comes_back(ana, org, api_of_ana):
    await org.client().put("/agents/bot", json={})
    await ana.send("/blocks/core", content="for all", expected_updated_at="")
    await ana.send("/blocks/core", content="for bot", agent_id="bot", expected_updated_at="")
    page = await ana.open("/blocks")
    assert page.count('class="gauge') >= 4
    assert "for all" in page
    assert "for bot" in page
    of_bot = await ana.open("/blocks/core?agent_id=bot")
    stamp = re.search(r'name="expected_updated_at" value="([^"]+)"', of_bot)[1]
    await ana.send("/blocks/core/delete", agent_id="bot", expected_updated_at=stamp)
    assert (await api_of_ana.get("/memory/blocks/core?agent_id=bot")).status_code == 404
    assert "deleted" in await ana.open("/blocks/core?agent_id=bot")
    await ana.send("/blocks/core/restore", agent_id="bot", version="1", expected_updated_at="")
    back = (await api_of_ana.get("/memory/blocks/core?agent_id=bot")).json()
    assert back["content"] == "for bot"
    await ana.send("/blocks/core", status=422, content="x" * 4_001, expected_updated_at="")
    await ana.open("/blocks/middle", 404)
    await ana.open("/blocks/core?agent_id=a%2Fb", 400)


async def test_the_budget_decides_what_hydration_shows(ana, org, api_of_ana):
    for number in range(4):
        body = {"content": f"fact {number} " + "x" * 100, "scope": "user"}
        await api_of_ana.put(f"/agents/bot/entries/k{number}", json=body)
    small = await ana.open("/entries/bot/hydration?budget_bytes=250")
    assert "entries are left out" in small
    assert "fact 0" not in small
    everything = await ana.open("/entries/bot/hydration")
    assert "4 entries fit; 0 entries are" in everything
    await ana.open("/entries/bot/hydration?budget_bytes=-1", 400)


async def test_entries_are_filtered_and_a_missing_agent_is_not_found(ana, ben, org, api_of_ana):
    for key, category, tags in (("a", "core", ["x"]), ("b", "daily", ["y"])):
        body = {"content": f"content of {key}", "category": category, "tags": tags, "scope": "user"}
        await api_of_ana.put(f"/agents/bot/entries/{key}", json=body)
    for query, found in (({"category": "daily"}, "b"), ({"tag": "x"}, "a"), ({"q": "of b"}, "b")):
        page = await ana.open(f"/entries/bot?{urlencode(query)}")
        assert re.findall(r"content of (\w)", page) == [found], query
    assert "content of" not in await ben.open("/entries/bot")
    assert (await ana.http.get("/entries/nobody")).status_code == 404


# --- memories --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["c", "b", "a"]),
        ({"category": "plan"}, ["b"]),
        ({"tag": "hot"}, ["a"]),
        ({"pinned": "1"}, ["c"]),
        ({"min_importance": "8"}, ["b"]),
        ({"expired": "1"}, ["d", "c", "b", "a"]),
        ({"scope": "project"}, []),
    ],
)
async def test_memories_are_filtered(ana, api_of_ana, query, found):
    past = (clock.now() + timedelta(seconds=1)).isoformat()
    for body in (
        {"key": "a", "value": "1", "tags": ["hot"]},
        {"key": "b", "value": "2", "category": "plan", "importance": 9},
        {"key": "c", "value": "3", "pinned": True},
        {"key": "d", "value": "4", "valid_to": past} if "expired" in query else None,
    ):
        if body is not None:
            assert (await api_of_ana.post("/memories", json=body)).status_code == 201
    page = await ana.open(f"/memories?{urlencode(query)}")
    assert re.findall(r'href="/memories/memory_[0-9a-f]+">(\w)</a>', page) == found


async def test_a_memory_says_why_it_is_known(ana, ben, api_of_ana):
    source = {"kind": "message", "ref": "m1", "quote": "I never drink coffee after noon."}
    body = {"key": "coffee", "value": "None after noon", "source": "chat", "sources": [source]}
    memory = (await api_of_ana.post("/memories", json=body)).json()
    node = {"name": "Coffee", "items": [{"content": "None after noon", "memory_id": memory["id"]}]}
    made = (await api_of_ana.post("/memory-nodes", json=node)).json()
    await api_of_ana.post(f"/memories/{memory['id']}/assets?name=note.txt", content=b"hello")
    page = await ana.open(f"/memories/{memory['id']}")
    why = page.split("Why is this known?")[1].split("</section>")[0]
    assert "I never drink coffee after noon." in why
    assert f'<a href="/nodes/{made["id"]}">Coffee</a>' in why
    assert "note.txt (5 B)" in why
    assert "source <code>chat</code>" in why
    await ben.open(f"/memories/{memory['id']}", 404)


async def test_a_memory_of_a_project_is_opened_and_changed_from_its_list(ana, ben, api_of_ana):
    await api_of_ana.put("/projects/plan", json={"visibility": "private"})
    body = {"key": "date", "value": "May", "scope": "project", "project_id": "plan"}
    await api_of_ana.post("/memories", json=body)
    page = await ana.open("/memories?scope=project&project_id=plan")
    address = re.search(r'href="(/memories/memory_[^"]+)"', page)[1].replace("&amp;", "&")
    assert address.endswith("?project_id=plan")
    shown = await ana.open(address)
    version = re.search(r'name="version" value="(\d+)"', shown)[1]
    path = address.split("?")[0]
    fields = {"key": "date", "value": "June", "project_id": "plan", "version": version}
    done = await ana.send(path, **fields)
    assert "project_id=plan" in done.headers["location"]
    assert "June" in await ana.open(address)
    assert (await ben.http.get(address)).status_code == 404
    await ana.send(f"{path}/restore", version="1", project_id="plan")
    assert "May" in (await ana.open(address)).split("History")[0]


async def test_a_memory_of_an_agent_is_opened_from_where_it_is_found(ana, org, api_of_ana):
    body = {"key": "close", "value": "The day is closed at five", "scope": "agent"}
    saved = await org.client().post("/memories", json={**body, "agent_id": "bot"})
    address = f"/memories/{saved.json()['id']}?agent_id=bot"
    for place in ("/search?q=closed+at+five&agent_id=bot", "/memories?scope=agent&agent_id=bot"):
        assert f'href="{address}"' in await ana.open(place), place
    await ana.open(address)
    await ana.open(address.split("?")[0], 404)  # seen through its agent alone
    stale = {"key": "close", "value": "At six", "agent_id": "bot", "version": "7"}
    conflict = (await ana.send(address.split("?")[0], status=409, **stale)).text
    assert f'<a href="{address}">Discard mine</a>' in conflict


async def test_a_memory_leads_to_the_messages_of_its_session_where_there_are_some(ana, api_of_ana):
    said = {"messages": [{"role": "user", "content": "I park on level 3."}]}
    assert (await api_of_ana.post("/sessions/talk/messages", json=said)).is_success
    for session in ("talk", "elsewhere"):
        body = {"key": session, "value": f"Said in {session}", "session_id": session}
        saved = (await api_of_ana.post("/memories", json=body)).json()
        page = await ana.open(f"/memories/{saved['id']}")
        messages = f"/conversations/sessions/messages?key={session}"
        assert (f'href="{messages}"' in page) == (session == "talk"), session
        assert f"/memories?session_id={session}" in page
    assert "I park on level 3." in await ana.open("/conversations/sessions/messages?key=talk")


# --- the graph -------------------------------------------------------------------------------------------------------


async def test_the_graph_is_explored_and_relations_are_made_and_removed(ana, ben, api_of_ana):
    ids = {}
    for name in ("Ana", "Ben", "Cleo"):
        made = await ana.send("/nodes", name=name, kind="person", aliases=f"{name} X")
        ids[name] = made.headers["location"].split("?")[0].rsplit("/", 1)[1]
    path = f"/nodes/{ids['Ana']}"
    await ana.send(f"{path}/edges", relation="knows", to="ben")
    await ana.send(f"/nodes/{ids['Ben']}/edges", relation="manages", to=ids["Cleo"])
    assert (
        "no node has" in (await ana.send(f"{path}/edges", status=422, relation="x", to="Dora")).text
    )
    near = await ana.open(f"{path}?depth=1")
    assert f'href="/nodes/{ids["Ben"]}?depth=1"' in near
    assert ids["Cleo"] not in near
    far = await ana.open(f"{path}?depth=2")
    assert ids["Cleo"] in far
    assert ">manages</option>" in far
    only = await ana.open(f"{path}?depth=2&relation=knows")
    assert ids["Cleo"] not in only
    await ana.open(f"{path}?depth=9", 400)
    edge = re.search(r"/edges/(edge_[0-9a-f]+)/delete", near)[1]
    await ben.send(f"{path}/edges/{edge}/delete", status=404)
    await ben.send(f"{path}/edges", status=404, relation="knows", to=ids["Cleo"])
    await ana.send(f"{path}/edges/{edge}/delete")
    assert ids["Ben"] not in await ana.open(path)
    added = await ana.send(f"{path}/items", content="Lives in Porto")
    assert added.headers["location"].endswith("notice=added")
    item = re.search(r"/items/(item_[0-9a-f]+)/delete", await ana.open(path))[1]
    await ana.send(f"{path}/items/{item}/delete")
    assert "Lives in Porto" not in await ana.open(path)
    await ana.send(f"{path}/delete")
    await ana.open(path, 404)


# --- overview, search and prompt -------------------------------------------------------------------------------------


async def test_the_overview_plots_writes_recalls_hits_tokens_evictions_and_latency(
    ana, org, db, api_of_ana
):
    await api_of_ana.post("/memories", json={"key": "tea", "value": "green"})
    counting = Usage()
    for _ in range(3):
        with counting.call(org.id, "memories.recall", is_write=False) as tally:
            tally.recalls, tally.hits, tally.tokens = 2, 1, 100
    await counting.write(db)
    for days, columns in (("1", 24), ("7", 28), ("14", 14), ("30", 30)):
        page = await ana.open(f"/?days={days}")
        plots = dict(re.findall(r"<figcaption><span>([^<]+)</span><strong>([^<]+)", page))
        assert list(plots) == [
            "Writes",
            "Recalls",
            "Recalls that found something",
            "Tokens given to models",
            "Evicted or flushed",
            "Latency of a call",
        ]
        assert int(plots["Recalls"]) >= 6
        assert int(plots["Tokens given to models"]) >= 300
        assert plots["Latency of a call"].endswith(" ms")
        assert int(plots["Writes"]) >= 1
        assert columns
        assert f'href="/?days={days}" aria-current="true"' in page
    await ana.open("/?days=2", 400)


async def test_the_plots_of_a_new_org_show_its_first_day(ana, org, api_of_ana, owner_connection):
    await api_of_ana.post("/memories", json={"key": "tea", "value": "green"})
    assert 'href="/?days=1" aria-current="true"' in await ana.open("/")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE orgs SET created_at = created_at - interval '3 days' WHERE org_id = %s", [org.id]
    )
    assert 'href="/?days=14" aria-current="true"' in await ana.open("/")


async def test_search_says_what_is_wrong_with_a_question(ana, api_of_ana):
    await api_of_ana.post("/memories", json={"key": "tea", "value": "Ana takes her tea green"})
    assert "<strong>" in await ana.open("/search?q=tea&mode=lexical&kind=memory&limit=1")
    for query in ("min_score=2", "mode=magic", "limit=0", "kind=dream", "min_trust=blind"):
        refused = await ana.http.get(f"/search?q=tea&{query}")
        assert refused.status_code == 200, query  # the form again, with what is wrong above it
        problem = re.search(r'role="alert">([^<]+)<', refused.text)
        assert problem is not None, query
        assert problem[1].lower().startswith(query.split("=")[0]), problem[1]
        assert "<strong>" not in refused.text, query
    nothing = await ana.open("/search?q=zeppelin+moorings&min_score=0.9")
    assert "Nothing fits" in nothing


async def test_lists_go_to_the_end_and_back_in_pages(ana, api_of_ana):
    keys = [f"k{number:02}" for number in range(60)]
    rows = [{"key": key, "value": key} for key in keys]
    saved = await api_of_ana.post("/memories/batch", json={"memories": rows})
    assert saved.status_code in (200, 201, 207), saved.text
    path, seen, back = "/memories", [], []
    while path:
        page = await ana.open(path)
        shown = re.findall(r'">(k\d\d)</a>', page)
        assert len(shown) <= 25
        seen += shown
        older = re.search(r'rel="next" href="([^"]+)"', page)
        newer = re.search(r'rel="prev" href="([^"]+)"', page)
        path = older[1].replace("&amp;", "&") if older else ""
    assert seen == keys[::-1]
    while newer:
        page = await ana.open(newer[1].replace("&amp;", "&"))
        back += re.findall(r'">(k\d\d)</a>', page)[:1]
        newer = re.search(r'rel="prev" href="([^"]+)"', page)
    assert back == ["k34", "k59"]
