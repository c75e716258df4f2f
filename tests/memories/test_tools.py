"""Remember and forget, as a model calls them."""

from tests.mcp_client import ask, connected, refused, said


async def test_what_is_remembered_is_recalled_and_in_the_next_context(org, api):
    async with connected(org, tools=None) as client:
        made = await ask(
            client, "remember", text="Ana drinks green tea", when="2026-01-31T00:00:00Z"
        )
        assert made == {
            "id": made["id"], "text": "Ana drinks green tea", "when": "2026-01-31", "from": "memory",
        }  # fmt: skip
        day = await ask(client, "remember", text="Ana drinks green tea", when="2026-01-31")
        assert day == made  # a day is taken as it is answered
        assert (await ask(client, "recall", query="what does Ana drink?"))["data"] == [made]
        context = await client.call_tool("context", {"message": "what does Ana drink?"})
        assert "Ana drinks green tea" in said(context)
        assert context.structured_content["data"] == [made]
        again = await ask(client, "remember", text="Ana drinks green tea")
        assert again["id"] == made["id"]  # the same text is kept once
        options = {"key": "the drink", "category": "preference", "tags": ["tea"], "detail": True}
        whole = await ask(client, "remember", text="Ana drinks sencha", **options)
        assert (whole["category"], whole["tags"], whole["trust"]) == (
            "preference", ["tea"], "assistant",
        )  # fmt: skip
        changed = await ask(client, "remember", text="Ana drinks coffee", key="the drink")
        assert changed["id"] == whole["id"]
        for wrong in (
            {"text": " "},
            {"text": "x", "when": "2026-02-31"},
            {"text": "x", "when": "May"},
        ):
            error = await refused(client, "remember", **wrong)
            assert error["errors"][0]["field"] == list(wrong)[-1]
    assert (await api.get(f"/memories/{made['id']}")).json()["value"] == "Ana drinks green tea"


async def test_forget_retires_by_id_or_the_best_hit_and_names_it(org, api):
    async with connected(org, agent="bot", tools=None) as client:
        tea = await ask(client, "remember", text="Ana drinks green tea")
        dog = await ask(client, "remember", text="Rex is the name of the dog")
        assert (await ask(client, "forget", query="what is the dog called?"))["id"] == dog["id"]
        assert (await ask(client, "recall", query="the name of the dog Rex"))["data"] == []
        assert (await ask(client, "forget", id=tea["id"]))["text"] == "Ana drinks green tea"
        assert (await ask(client, "recall", query="green tea"))["data"] == []
        assert (await refused(client, "forget"))["code"] == "invalid"
        assert (await refused(client, "forget", id=tea["id"], query="tea"))["code"] == "invalid"
        assert (await refused(client, "forget", query="green tea"))["code"] == "not_found"
        assert (await refused(client, "forget", id="memory_x"))["code"] == "not_found"
    history = (await api.get(f"/memories/{tea['id']}/history")).json()["data"]
    assert [each["action"] for each in history] == ["retired", "created"]


async def test_another_user_forgets_nothing(org):
    async with connected(org, holdfast_user="ana") as client:
        made = await ask(client, "remember", text="Ana drinks green tea")
    async with connected(org, holdfast_user="ben") as client:
        assert (await refused(client, "forget", id=made["id"]))["code"] == "not_found"
        assert (await refused(client, "forget", query="green tea"))["code"] == "not_found"
    async with connected(org, holdfast_user="ana") as client:
        assert (await ask(client, "recall", query="green tea"))["data"] == [made]


async def test_an_agent_without_a_user_remembers_for_itself(org):
    key = await org.mint("agent", agent_id="bot")
    async with connected(org, key=key) as client:
        made = await ask(client, "remember", text="The printer is on floor two", detail=True)
        assert (made["scope"], made["agent_id"]) == ("agent", "bot")
        await ask(client, "forget", id=made["id"])
        assert (await ask(client, "recall", query="printer"))["data"] == []
