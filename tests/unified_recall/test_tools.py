"""Recall, search and fetch as a model calls them."""

from tests.mcp_client import ask, connected, refused


async def fill(api, *, agent=None):
    body = {"key": "drink", "value": "Ana drinks green tea"}
    if agent is not None:
        body |= {"scope": "agent", "agent_id": agent}
    memory = (await api.post("/memories", json=body)).json()
    store = (await api.post("/memory_stores", json={"name": "Notes"})).json()
    entry = {"path": "drinks/tea.md", "content": "How we brew green tea"}
    written = (await api.post(f"/memory_stores/{store['id']}/memories", json=entry)).json()
    return memory, written


async def test_recall_finds_what_any_face_keeps(org, api):
    async with connected(org, agent="bot") as client:
        memory, written = await fill(api)
        found = await ask(client, "recall", query="green tea", detail=True)
        shown = {each["id"]: each for each in found["data"]}
        assert {memory["id"], written["id"]} <= set(shown)
        assert shown[memory["id"]]["object"]["key"] == "drink"
        assert shown[memory["id"]]["object"]["created_at"] == memory["created_at"]
        lines = (await ask(client, "recall", query="green tea"))["data"]
        assert {each["from"] for each in lines} == {"memory", "store_entry drinks/tea.md"}
        assert len((await ask(client, "recall", query="green tea", limit=1))["data"]) == 1
        assert (await ask(client, "recall", query="green tea", max_tokens=1))["data"] == []
        assert (await refused(client, "recall", query=""))["code"] == "invalid"


async def test_recall_sees_what_the_agent_sees(org, api):
    memory, _ = await fill(api, agent="bot")
    async with connected(org, agent="bot") as client:
        ids = [each["id"] for each in (await ask(client, "recall", query="green tea"))["data"]]
        assert memory["id"] in ids
        assert (await ask(client, "fetch", id=memory["id"]))["text"] == "Ana drinks green tea"
    async with connected(org, agent="other") as client:
        ids = [each["id"] for each in (await ask(client, "recall", query="green tea"))["data"]]
        assert memory["id"] not in ids
        assert (await refused(client, "fetch", id=memory["id"]))["code"] == "not_found"


async def test_what_search_finds_can_be_fetched_and_its_url_opened(org, api):
    memory, written = await fill(api)
    async with connected(org) as client:
        results = (await ask(client, "search", query="green tea"))["results"]
        assert {each["id"]: each["title"] for each in results} == {
            memory["id"]: "drink",
            written["id"]: "drinks/tea.md",
        }
        for each in results:
            fetched = await ask(client, "fetch", id=each["id"])
            assert {name: fetched[name] for name in each} == each
            assert "green tea" in fetched["text"]
            assert (await api.get(each["url"])).json()["id"] == each["id"]
        assert (await refused(client, "fetch", id="memory_x"))["code"] == "not_found"


async def test_another_org_finds_and_fetches_nothing(make_org):
    one, other = await make_org(), await make_org()
    memory, _ = await fill(one.client())
    async with connected(other) as client:
        assert (await ask(client, "recall", query="green tea"))["data"] == []
        assert (await ask(client, "search", query="green tea")) == {"results": []}
        assert (await refused(client, "fetch", id=memory["id"]))["code"] == "not_found"
