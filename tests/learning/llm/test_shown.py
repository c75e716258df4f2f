"""Which held facts are looked up for a model: by whose sight, of which faces, how many, in which order."""

from dataclasses import replace
from datetime import UTC, datetime

from holdfast.learning.model import Message
from holdfast.learning.shown import MAX_SHOWN, look_up
from tests.learning.llm.conftest import answer, fact, held
from tests.learning.service.conftest import Talk
from tests.learning.service.in_process import settle_here

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(*texts: str, role: str = "user") -> list[Message]:
    return [Message(f"m{number}", role, text, AT) for number, text in enumerate(texts)]


async def shown(db, caller, messages, context=()) -> list[str]:
    return [each.content for each in (await look_up(db, caller, messages, context)).values()]


async def save(talk, *values: str, **more) -> None:
    for number, value in enumerate(values):
        await talk.call("POST", "/memories", json={"key": f"k{number}", "value": value, **more})


async def test_a_message_is_looked_up_with_the_end_of_the_one_before_it(api, org, db):
    ana = Talk(api, "talk-1", {"Holdfast-User": "ana"})
    await save(ana, "Groceries cost 180 euros a week.", "Parks on level 3.")
    asked = said("How much may groceries cost?", role="assistant")
    short = said("so make it 200")
    assert await shown(db, org.caller("ana"), short, asked) == ["Groceries cost 180 euros a week."]
    assert await shown(db, org.caller("ana"), short) == []
    assert await shown(db, org.caller("ana"), said("level 3?", role="assistant")) == []


async def test_rows_and_lines_of_core_come_in_turn_and_no_more_than_so_many(api, org, db):
    ana = Talk(api, "talk-1", {"Holdfast-User": "ana"})
    await save(ana, *(f"Topic {'abc'[n // 10]}x has note {n}." for n in range(30)))
    lines = [f"Wish {n}" for n in range(19)]
    body = {"content": "\n".join([*lines, "Likes topic cx"]), "expected_updated_at": None}
    await ana.call("PUT", "/memory/blocks/core", json=body)
    found = await shown(db, org.caller("ana"), said("topic ax", "topic bx", "topic cx"))
    assert len(found) == MAX_SHOWN
    assert found[0].startswith("Topic")
    assert found[1] == "Likes topic cx"  # the line that shares words with what was said
    assert [each.startswith("Topic") for each in found[:20]] == [True, False] * 10


async def test_an_agent_without_a_user_is_shown_its_own_and_no_users(api, org, db):
    ana = Talk(api, "talk-1", {"Holdfast-User": "ana"})
    await save(ana, "Ana's printer is broken.")
    bot = Talk(org.client(await org.mint("agent", agent_id="bot")), "shift-1")
    await save(bot, "The printer jams.", scope="agent", agent_id="bot")
    alone = replace(org.caller(), credential="agent", user_id=None, agent_id="bot", owner=False)
    assert await shown(db, alone, said("the printer works")) == ["The printer jams."]


async def test_entries_and_items_of_the_user_may_be_named_and_those_for_everybody_are_not_shown(
    api, org, db, model, extractor
):
    ana = Talk(api, "talk-1", {"Holdfast-User": "ana"})
    everybody = {"content": "Mail an invoice number to everybody on Fridays.", "category": "core"}
    await ana.call("PUT", "/agents/bot/entries/all", json=everybody)
    own, item = "Ask Ana for the invoice first.", "Raya is Ana's niece and has the invoice."
    await ana.say("next time ask for the invoice first, my niece Raya has it", agent_id="bot")
    model.reply = answer(
        fact("ask for the invoice first", text=own, target="agent_entry", kind="instruction"),
        fact("my niece Raya", text=item, target="node_item", kind="relation", relation="niece", related="Raya"),
    )  # fmt: skip
    await settle_here(db, org.id, "ana", "talk-1", extractor)
    before = await faces(ana)
    assert (own in before["entries"], before["items"]) == (True, [item])

    await ana.say("forget the invoice, Raya is out of it too")
    model.reply_to = lambda asked: answer(
        fact("forget the invoice", text="No invoice any more.", replaces=list(held(asked).values()))
    )
    job_id = await settle_here(db, org.id, "ana", "talk-1", extractor)
    assert sorted(held(model.asked[-1])) == sorted([own, item])
    after = await faces(ana)
    assert after == {
        "entries": ["Mail an invoice number to everybody on Fridays."],
        "items": [],
        "memories": ["No invoice any more."],
    }
    await ana.call("POST", f"/jobs/{job_id}/revert")
    assert await faces(ana) == before


async def faces(talk) -> dict[str, list[str]]:
    entries = (await talk.call("GET", "/agents/bot/entries"))["data"]
    nodes = (await talk.call("GET", "/memory-nodes"))["data"]
    return {
        "entries": sorted(each["content"] for each in entries),
        "items": [item["content"] for node in nodes for item in node["items"]],
        "memories": [each["value"] for each in await talk.memories()],
    }
