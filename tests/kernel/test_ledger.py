"""The ledger of language models: every call, and none past the cap."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from holdfast.kernel import clock
from holdfast.kernel.ledger import AROUND, CapReached, MeteredLlm, list_calls
from holdfast.kernel.llm import Completion, LlmError, _usage
from holdfast.kernel.pages import Cursor


@dataclass
class Echo:
    """A model that says what it is told to, for what it is told that costs."""

    took: tuple[int, int] = (3, 2)
    error: LlmError | None = None
    delay_s: float = 0.0
    may_answer: asyncio.Event | None = None
    asked: int = 0
    name: str = "echo-1"

    async def complete(
        self, system: str, prompt: str, *, max_tokens: int, schema: dict | None = None
    ) -> Completion:
        self.asked += 1
        await asyncio.sleep(self.delay_s)
        if self.may_answer is not None:
            await self.may_answer.wait()
        if self.error is not None:
            raise self.error
        return Completion(f"{system} {prompt}", *self.took)


@pytest.fixture
def ahead() -> Iterator[None]:
    """Tomorrow."""
    clock.set_source(lambda: clock._system_time() + timedelta(days=1))
    yield
    clock.set_source(None)


async def calls(db, caller, **options):
    return (await list_calls(db, caller, Cursor(limit=100), **options)).data


async def cap(org, tokens: int | None) -> None:
    reply = await org.client().patch("/org", json={"llm_tokens_per_day": tokens})
    assert reply.status_code == 200


async def test_a_call_is_written_down_with_what_it_took(db, org):
    me = org.caller("ana")
    completion = await MeteredLlm(db, Echo()).complete(me, "test", "a", "b", max_tokens=9)
    assert (completion.text, completion.tokens) == ("a b", 5)
    [call] = await calls(db, me)
    assert (call.kind, call.model, call.status, call.error) == ("test", "echo-1", "succeeded", None)
    assert (call.input_tokens, call.output_tokens, call.job_id) == (3, 2, None)
    assert call.finished_at is not None
    assert call.finished_at >= call.started_at


async def test_a_call_that_fails_is_written_down_too(db, org):
    me = org.caller()
    for error, took in (
        (LlmError("it is down"), (2 + AROUND, 0)),  # what was sent
        (LlmError("it said nothing", Completion("", 7, 1)), (7, 1)),
    ):
        with pytest.raises(LlmError):
            await MeteredLlm(db, Echo(error=error)).complete(me, "test", "a", "b", max_tokens=9)
        call = (await calls(db, me, status="failed"))[0]
        assert (call.error, (call.input_tokens, call.output_tokens)) == (error.detail, took)


async def test_while_it_runs_it_counts_for_the_most_it_may_take(db, org):
    me, model = org.caller(), Echo(may_answer=asyncio.Event())
    running = asyncio.create_task(
        MeteredLlm(db, model).complete(me, "test", "one", "two", max_tokens=9)
    )
    while not model.asked:
        await asyncio.sleep(0.01)
    [call] = await calls(db, me)
    assert (call.status, call.finished_at) == ("running", None)
    assert (call.input_tokens, call.output_tokens) == (2 + AROUND, 9)
    model.may_answer.set()
    await running


async def test_the_cap_holds_however_many_ask_at_once(db, org):
    me, model = org.caller(), Echo(took=(2 + AROUND, 66), delay_s=0.05)
    await cap(org, 350)
    one = MeteredLlm(db, model)
    done = await asyncio.gather(
        *(one.complete(me, "test", "one", "two", max_tokens=66) for _ in range(12)),
        return_exceptions=True,
    )
    refused = [each for each in done if isinstance(each, CapReached)]
    assert (len(refused), model.asked) == (9, 3)  # 100 tokens each
    assert "llm_tokens_per_day is 350" in refused[0].detail
    made = await calls(db, me)
    assert [call.status for call in made] == ["succeeded"] * 3
    assert sum(call.input_tokens + call.output_tokens for call in made) == 300
    await cap(org, None)
    await one.complete(me, "test", "one", "two", max_tokens=66)


async def test_the_last_token_of_the_cap_may_be_taken_and_not_one_more(db, org):
    me, model = org.caller(), Echo(took=(1, 1))
    sent = 2 + AROUND
    await cap(org, sent + 9)
    with pytest.raises(CapReached):
        await MeteredLlm(db, model).complete(me, "test", "one", "two", max_tokens=10)
    await MeteredLlm(db, model).complete(me, "test", "one", "two", max_tokens=9)
    assert model.asked == 1


async def test_an_org_without_a_token_asks_nothing_and_another_org_is_not_held_up(
    db, org, make_org
):
    other, model = await make_org(), Echo()
    await cap(org, 0)
    with pytest.raises(CapReached):
        await MeteredLlm(db, model).complete(org.caller(), "test", "a", "b", max_tokens=1)
    assert model.asked == 0
    await MeteredLlm(db, model).complete(other.caller(), "test", "a", "b", max_tokens=1)
    assert await calls(db, org.caller()) == []


async def test_tomorrow_is_another_day(db, org, request):
    me, model = org.caller(), Echo(took=(50, 50))
    await cap(org, 150)
    await MeteredLlm(db, model).complete(me, "test", "a", "b", max_tokens=50)
    with pytest.raises(CapReached):
        await MeteredLlm(db, model).complete(me, "test", "a", "b", max_tokens=50)
    request.getfixturevalue("ahead")
    await MeteredLlm(db, model).complete(me, "test", "a", "b", max_tokens=50)


async def test_whoever_looks_after_the_org_sees_every_call_and_others_their_own(db, org, make_org):
    for user in ("ana", "bob", "ana"):
        await MeteredLlm(db, Echo()).complete(
            org.caller(user), f"for-{user}", "a", "b", max_tokens=9
        )
    everything = (await org.client().get("/llm-calls")).json()
    assert [call["kind"] for call in everything["data"]] == ["for-ana", "for-bob", "for-ana"]
    assert set(everything["data"][0]) == {
        "id", "type", "kind", "job_id", "model", "status", "input_tokens", "output_tokens", "error",
        "started_at", "finished_at",
    }  # fmt: skip
    ana = org.client(await org.mint("user", user_id="ana"))
    mine = (await ana.get("/llm-calls")).json()["data"]
    assert [call["kind"] for call in mine] == ["for-ana", "for-ana"]
    assert (await (await make_org()).client().get("/llm-calls")).json()["data"] == []


async def test_calls_are_paged(db, org):
    for n in range(5):
        await MeteredLlm(db, Echo()).complete(org.caller(), f"k{n}", "a", "b", max_tokens=9)
    api = org.client()
    first = (await api.get("/llm-calls", params={"limit": 2})).json()
    assert ([c["kind"] for c in first["data"]], first["has_more"]) == (["k4", "k3"], True)
    rest = (await api.get("/llm-calls", params={"after_id": first["last_id"]})).json()
    assert ([c["kind"] for c in rest["data"]], rest["has_more"]) == (["k2", "k1", "k0"], False)
    assert (await api.get("/llm-calls", params={"status": "nonsense"})).status_code in (400, 422)


@pytest.mark.parametrize(
    ("took", "expected"),
    [
        ([10, 5, 15], (10, 5)),
        ([10, None, 15], (10, 5)),
        ([None, 5, 15], (10, 5)),
        ([None, None, 15], (14, 1)),
        ([None, None, None], (2, 1)),
        (["many", -1, True], (0, 1)),
        ([None, None, 0], (0, 0)),
    ],
)
def test_what_a_provider_leaves_out_is_reckoned(took, expected):
    assert _usage(took, "one two", "three") == expected
