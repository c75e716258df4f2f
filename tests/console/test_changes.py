"""What forms change: through the services, with their rules."""

import re
from html import unescape

from holdfast.directory import users


async def test_a_stale_block_form_shows_both_texts_and_overwrites_nothing(ana, org):
    api = org.client(Holdfast_User="ana")
    await ana.send("/blocks/core", content="one\r\ntwo", expected_updated_at="")
    block = (await api.get("/memory/blocks/core")).json()
    assert block["content"] == "one\ntwo"  # a browser's line ends become ours
    page = await ana.open("/blocks/core")
    stamp = re.search(r'name="expected_updated_at" value="([^"]+)"', page)[1]
    await ana.send("/blocks/core", content="theirs", expected_updated_at=stamp)
    conflict = await ana.send("/blocks/core", status=409, content="mine", expected_updated_at=stamp)
    assert "theirs" in conflict.text
    assert "mine" in conflict.text
    assert (await api.get("/memory/blocks/core")).json()["content"] == "theirs"
    restored = await ana.open("/blocks/core")
    stamp = re.search(r'name="expected_updated_at" value="([^"]+)"', restored)[1]
    await ana.send("/blocks/core/restore", version="1", expected_updated_at=stamp)
    assert (await api.get("/memory/blocks/core")).json()["content"] == "one\ntwo"


async def test_a_memory_is_pinned_expired_retired_and_erased(ana, org):
    api = org.client(Holdfast_User="ana")
    made = await ana.send("/memories", key="tea", value="green", tags="drinks, hot", importance="7")
    path = made.headers["location"].split("?")[0]
    memory_id = path.rsplit("/", 1)[1]
    await ana.send(f"{path}/pin", pinned="1")
    await ana.send(f"{path}/expire", expires_at="2099-01-31T12:00")
    memory = (await api.get(f"/memories/{memory_id}")).json()
    assert (memory["pinned"], memory["tags"]) == (True, ["drinks", "hot"])
    assert memory["expires_at"] == "2099-01-31T12:00:00.000000Z"
    stale = await ana.send(path, status=409, key="tea", value="black", version="1")
    assert "changed meanwhile" in stale.text
    await ana.send(path, key="tea", value="black", version=str(memory["version"]))
    refused = await ana.send(
        path, status=422, key="tea", value="x" * 8_001, version=str(memory["version"] + 1)
    )
    assert "8,000" in refused.text
    assert "Nothing was changed" in refused.text
    await ana.send(f"{path}/retire")
    assert (await api.get("/memories")).json()["data"] == []
    asked = await ana.send(f"{path}/delete", status=403)
    assert 'name="_then"' in asked.text
    await ana.step_up()
    await ana.send(f"{path}/delete")
    assert (await api.get(f"/memories/{memory_id}?include_expired=true")).status_code == 404


async def test_a_store_entry_is_written_compared_restored_and_redacted(ana, org):
    made = await ana.send("/stores", name="Handbook")
    store = made.headers["location"].split("?")[0]
    written = await ana.send(f"{store}/entries", path="a/b.md", content="one")
    entry = written.headers["location"].split("?")[0]
    await ana.send(entry, content="two", version="1", path="a/b.md")
    conflict = await ana.send(entry, status=409, content="three", version="1", path="a/b.md")
    assert "three" in conflict.text
    assert "a/" in await ana.open(store)
    versions = re.findall(
        r'href="(/stores/[^"]+/versions/memver_[0-9a-f]+)"', await ana.open(entry)
    )
    first = versions[-1]
    compared = await ana.open(versions[0])
    assert '<td class="old"><span class="hidden">removed: </span>one</td>' in compared
    await ana.send(f"{first}/redact")
    assert "was redacted" in await ana.open(first)
    assert "removed: </span>one" not in await ana.open(versions[0])
    await ana.send(f"{entry}/delete", version="2")
    assert "This entry is deleted" in await ana.open(entry)


async def test_entries_are_stored_restored_and_forgotten(ana):
    await ana.send("/entries/bot", key="greeting", content="Hello", scope="user", category="core")
    await ana.send(
        "/entries/bot", key="greeting", content="Hi", scope="user", category="core", version="1"
    )
    page = await ana.open("/entries/bot/entry", key="greeting", scope="user")
    assert "Hello" in page
    await ana.send("/entries/bot/restore", key="greeting", version="1", scope="user")
    await ana.send("/entries/bot/forget", key="greeting", scope="user")
    gone = await ana.open("/entries/bot/entry", key="greeting", scope="user")
    assert "Nothing is stored under this key now" in gone


def form_of(page, action):
    """The fields of a form as a browser would send them untouched."""
    form = re.search(
        rf'<form[^>]* method="post" action="{re.escape(action)}".*?</form>', page, re.S
    )[0]
    inputs = re.findall(r'<input[^>]* name="([^"]+)" value="([^"]*)"', form)
    texts = re.findall(r'<textarea name="([^"]+)"[^>]*>\n(.*?)</textarea>', form, re.S)
    return {name: unescape(value) for name, value in (*inputs, *texts)}


async def test_a_stale_entry_form_shows_both_texts_and_the_merged_one_is_saved(ana, api_of_ana):
    stored = {"content": "Hello\nthere", "scope": "user", "category": "core", "tags": ["short"]}
    path = "/agents/bot/entries/greeting"
    assert (await api_of_ana.put(path, json=stored)).status_code == 201
    opened = form_of(
        await ana.open("/entries/bot/entry", key="greeting", scope="user"), "/entries/bot"
    )
    theirs = stored | {"content": "Hello\neverybody"}
    assert (await api_of_ana.put(path, json=theirs)).status_code == 200
    conflict = await ana.send("/entries/bot", status=409, **opened | {"content": "Hi\nthere"})
    assert "added: </span>Hi" in conflict.text
    assert "removed: </span>everybody" in conflict.text
    assert (await api_of_ana.get(path)).json()["content"] == "Hello\neverybody"
    merging = form_of(conflict.text, "/entries/bot")
    assert merging["content"] == "Hi\nthere"
    await ana.send("/entries/bot", **merging | {"content": "Hi\neverybody"})
    kept = (await api_of_ana.get(path)).json()
    assert (kept["content"], kept["tags"], kept["version"]) == ("Hi\neverybody", ["short"], 3)

    await ana.send("/entries/bot/forget", key="greeting", scope="user")
    gone = await ana.send("/entries/bot", status=409, **merging | {"version": "3"})
    assert "was forgotten after you opened it" in gone.text
    await ana.send("/entries/bot", **form_of(gone.text, "/entries/bot"))
    assert (await api_of_ana.get(path)).json()["content"] == "Hi\nthere"


async def test_a_new_entry_does_not_replace_one_with_its_key(ana, api_of_ana):
    stored = {"content": "Hello", "scope": "user"}
    await api_of_ana.put("/agents/bot/entries/greeting", json=stored)
    form = form_of(await ana.open("/entries/bot"), "/entries/bot")
    assert form["version"] == "0"
    typed = form | {"key": "greeting", "content": "Hi", "scope": "user"}
    assert (
        "was written by somebody else" in (await ana.send("/entries/bot", status=409, **typed)).text
    )
    kept = (await api_of_ana.get("/agents/bot/entries/greeting")).json()
    assert kept["content"] == "Hello"


async def test_a_key_is_minted_after_a_step_up_shown_once_and_revoked(ana, org):
    assert (await ana.send("/keys", status=403, kind="user", name="laptop")).status_code == 403
    await ana.step_up()
    shown = (await ana.send("/keys", status=200, kind="user", name="laptop")).text
    key = re.search(r"hf_live_[A-Za-z0-9_-]{20,}", shown)[0]
    assert (await org.client(key).get("/memories")).status_code == 200
    listed = await ana.open("/keys")
    assert key not in listed
    row = next(part for part in listed.split("<tr>") if "laptop" in part)
    await ana.send(re.search(r'action="(/keys/[^"]+/revoke)"', row)[1])
    assert (await org.client(key).get("/memories")).status_code == 401


async def test_only_an_owner_changes_the_org(ana, ben, org):
    changed = {"name": "Acme", "language": "english", "version": "1"}
    refused = await ben.send("/settings", status=403, **changed)
    assert "needs a service key or an owner" in refused.text
    await ana.send("/settings", **changed, review_extractions="1")
    settings = (await org.client().get("/org")).json()
    assert (settings["name"], settings["review_extractions"]) == ("Acme", True)
    assert (await ana.send("/settings", status=412, **changed)).status_code == 412


async def test_a_person_is_erased_by_typing_the_id_twice_after_a_step_up(ana, ben, org, db):
    await users.put_user(db, org.operator, "cleo")
    await ana.send("/erase", status=403, user_id="cleo", again="cleo")
    await ana.step_up()
    wrong = await ana.send("/erase", status=422, user_id="cleo", again="clea")
    assert "nothing was erased" in wrong.text
    await ben.step_up()
    await ben.send("/erase", status=404, user_id="cleo", again="cleo")
    queued = await ana.send("/erase", user_id="cleo", again="cleo")
    assert "erase" in await ana.open(queued.headers["location"].split("?")[0])


async def test_what_a_form_needs_is_named_where_it_is_missing(ana):
    for path, fields, word in (
        ("/memories", {"value": "x"}, "key"),
        ("/memories", {"key": "k", "value": "x", "importance": "11"}, "1 to 10"),
        ("/keys", {"kind": "root"}, "one of"),
        ("/nodes", {"name": ""}, "name"),
    ):
        refused = await ana.http.post(path, data={"_csrf": ana.csrf or await token(ana), **fields})
        assert refused.status_code in (400, 422), path
        assert word in refused.text, path
    assert "is not an id" in await ana.open("/memories", 400, after_id="x")


async def token(browser):
    await browser.open("/account")
    return browser.csrf


async def test_search_explains_ranks_and_misses(ana, org):
    api = org.client(Holdfast_User="ana")
    await api.post("/memories", json={"key": "tea", "value": "Ana takes her tea green"})
    other = (
        await api.post("/memories", json={"key": "car", "value": "The car is a red estate"})
    ).json()
    page = await ana.open("/search", q="what tea does Ana take", ids=other["id"])
    assert "words of the query" in page
    assert "Not among them" in page
    assert other["id"] in page


async def test_a_hit_is_named_after_what_it_belongs_to(ana, api_of_ana):
    node = {"name": "Morag Kinnear", "kind": "person", "items": [{"content": "wants e-mail only"}]}
    assert (await api_of_ana.post("/memory-nodes", json=node)).status_code == 201
    store = (await api_of_ana.post("/memory_stores", json={"name": "Notes"})).json()["id"]
    note = {"path": "morag.md", "content": "Morag wants e-mail only"}
    assert (await api_of_ana.post(f"/memory_stores/{store}/memories", json=note)).is_success
    entry = {"content": "Morag wants e-mail only", "scope": "user"}
    assert (await api_of_ana.put("/agents/bot/entries/morag", json=entry)).is_success
    page = await ana.open("/search", q="who wants e-mail only", agent_id="bot")
    titles = re.findall(r'<h2 id="hit-\d+">\d+\. <a href="([^"?]+)[^"]*">([^<]+)</a>', page)
    shown = {title: address.split("/")[1] for address, title in titles}
    assert shown == {"Morag Kinnear": "nodes", "morag.md": "stores", "morag": "entries"}
    parts = re.findall(r'class="s(\d+)"[^>]*/></svg>([a-z ]+) 0', page)
    assert len({name for _, name in parts}) == len(set(parts)) == len({n for n, _ in parts})


async def test_the_prompt_preview_shows_what_was_left_out(ana, org):
    api = org.client(Holdfast_User="ana")
    for number in range(5):
        body = {"content": f"fact number {number} " * 20, "scope": "user"}
        await api.put(f"/agents/bot/entries/k{number}", json=body)
    page = await ana.open("/prompt", message="hello", agent_id="bot", max_tokens="120")
    assert "do not fit the budget" in page
    assert "of 120" in page
    unknown = await ana.open("/prompt", message="hello", agent_id="nobody")
    assert "no agent" in unknown


async def propose(org, *texts):
    """Proposals that wait for review, learned from messages."""
    api = org.client(Holdfast_User="ana")
    await org.client().patch("/org", json={"review_extractions": True})
    messages = [{"role": "user", "content": text} for text in texts]
    made = await api.post("/memories/extract", json={"messages": messages})
    assert made.status_code == 200, made.text
    return api, [each for each in made.json()["proposals"] if each["status"] == "pending"]


async def test_proposals_are_accepted_rejected_and_edited(ana, ben, org):
    api, made = await propose(
        org,
        "Remember that I park on level 3.",
        "Remember that my locker is number 12.",
        "Remember that I work from Lisbon.",
    )
    assert len(made) >= 3
    page = await ana.open("/proposals")
    assert all(each["id"] in page for each in made)
    first, second, third = (each["id"] for each in made[:3])
    await ben.send(f"/proposals/{first}/accept", status=404)
    assert first not in await ben.open("/proposals?status=all")
    done = await ana.send(f"/proposals/{first}/accept", back="/proposals?status=pending")
    assert done.headers["location"] == "/proposals?status=pending&notice=accepted"
    await ana.send(f"/proposals/{second}/reject", back="https://evil.example")
    await ana.send(f"/proposals/{third}", content="Works from Porto", version="1", accept="1")
    statuses = {each["id"]: each for each in (await api.get("/proposals")).json()["data"]}
    assert [statuses[each]["status"] for each in (first, second, third)] == [
        "applied",
        "rejected",
        "applied",
    ]
    assert statuses[third]["content"] == "Works from Porto"
    again = await ana.send(f"/proposals/{first}/accept", status=409)
    assert "applied already" in again.text
