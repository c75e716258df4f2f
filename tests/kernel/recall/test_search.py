import asyncio
from datetime import timedelta

import psycopg
import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.columns import Fields
from holdfast.kernel.recall.model import Candidate
from holdfast.kernel.recall.search import search
from holdfast.kernel.sql import Query
from tests.kernel.recall.conftest import NOW

TABLES = (
    "passages", "postings", "passage_vectors", "recall_vocabulary",
    "recall_actors", "embedding_models", "embeddings_underway",
)  # fmt: skip


async def test_meaning_finds_what_shares_no_word(index):
    await index.put("tea", "She enjoys green tea in the morning")
    await index.put("car", "The engine was repaired in the garage")
    assert (await index.ask("favourite hot beverages"))[0] == "tea"


async def test_words_find_what_meaning_does_not(index):
    await index.put("code", "ticket QX-9981 was closed")
    await index.put("other", "ticket RT-1200 was closed")
    assert (await index.ask("QX-9981"))[0] == "code"
    assert (await index.ask("9981"))[0] == "code"


@pytest.mark.parametrize(
    "token",
    ["ERR-4521", "src/holdfast/app.py", "ana.b@example.com", "user_id", "v1.2.3", "0x7ffe", "A-1",
     "C3PO", "https://example.com/a?b=1", "foo::bar", "#1234", "2024-05-01"],
)  # fmt: skip
async def test_an_exact_identifier_is_always_found(index, token):
    await index.put("it", f"We wrote down {token}, as agreed.")
    for number in range(30):
        await index.put(f"other{number:02}", f"We wrote down nothing on day {number}, as agreed.")
    assert (await index.ask(token))[0] == "it"
    assert (await index.ask(token, mode="lexical"))[0] == "it"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("彼女は東京タワーの近くに住んでいます", "東京タワー"),
        ("我们下周在北京开会", "北京"),
        ("그는 커피를 좋아합니다", "커피"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("猫が好き", "猫"),
    ],
)
async def test_scripts_without_spaces_are_found(index, text, query):
    await index.put("it", text)
    await index.put("other", "an English sentence about nothing of the kind")
    assert (await index.ask(query, mode="lexical")) == ["it"]
    assert (await index.ask(query))[0] == "it"


async def test_a_misspelled_or_partial_word_is_found(index):
    await index.put("it", "the restaurant on Kensington street")
    await index.put("other", "the library in the park")
    assert (await index.ask("restarant", mode="lexical")) == ["it"]
    assert (await index.ask("kensing", mode="lexical")) == ["it"]


async def test_a_partial_or_misspelt_word_opens_no_answer_by_itself(index):
    await index.put("it", "the new platform goes live with a discount for Kensington")
    await index.put("other", "the library in the park")
    for query in ("form", "kensin", "counting disc"):
        found = await index.found(query)
        assert [hit for hit in found.hits if "semantic" not in hit.arms] == [], query
    found = await index.found("form")
    assert not found.hits
    assert found.faint[0].object_id == "it"
    # Beside a word that is there, the part of one counts.
    assert (await index.found("platform for kensin")).hits[0].terms


async def test_nothing_is_returned_where_nothing_is_relevant(index):
    await index.put("tea", "She enjoys green tea in the morning")
    await index.put("car", "The engine was repaired in the garage")
    found = await index.found("lagrangian of quantum chromodynamics")
    assert not found.hits


async def test_what_expired_is_never_found(index):
    await index.put("old", "the meeting is on Friday", until=NOW - timedelta(seconds=1))
    await index.put("new", "the meeting is on Monday", until=NOW + timedelta(seconds=1))
    assert await index.ask("meeting") == ["new"]


async def test_a_caller_finds_only_what_lies_in_its_scopes(index):
    await index.put("hers", "the secret garden", scope="memory/global:ana")
    await index.put("his", "the secret cellar", scope="memory/global:bob")
    assert await index.ask("secret") == ["hers"]
    assert await index.ask("secret", scopes=("memory/global:bob",)) == ["his"]
    assert await index.ask("secret", scopes=()) == []


async def test_filters_do_not_starve_a_narrow_call(index):
    for number in range(200):
        await index.put(f"n{number:03}", f"tea note number {number}")
    await index.put("rare", "a note on tea", labels=("tag:rare",))
    assert await index.ask("tea note", labels=("tag:rare",)) == ["rare"]


async def test_no_org_finds_anothers(index, other_index):
    await index.put("m1", "the secret garden")
    await other_index.put("m2", "the secret cellar")
    assert await index.ask("secret") == ["m1"]
    assert await other_index.ask("secret") == ["m2"]


@pytest.mark.parametrize("table", TABLES)
def test_the_services_role_cannot_read_the_index(service, table):
    with psycopg.connect(service.app_url, options="-c role=holdfast_app") as connection:
        connection.execute("SELECT set_config('holdfast.org', 'org_x', false)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"SELECT * FROM {table} LIMIT 1")


async def test_raw_sql_sees_its_own_org_through_the_function_and_none_without(
    service, index, other_index
):
    await index.put("m1", "the secret garden")
    ask = (
        "SELECT object_id FROM recall_candidates(%s, '{memory/global:ana}', '{memory}', NULL, '{}', 'secret', '',"
        " NULL, NULL, 10, 10, now(), false, NULL, NULL)"
    )
    with psycopg.connect(service.app_url, options="-c role=holdfast_app", autocommit=True) as raw:
        own, other = [index.caller.org_id], [other_index.caller.org_id]
        raw.execute("SELECT set_config('holdfast.org', %s, false)", own)
        assert raw.execute(ask, own).fetchall() == [("m1",)]
        raw.execute("SELECT set_config('holdfast.org', %s, false)", other)
        assert raw.execute(ask, other).fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(ask, own)
        raw.execute("SELECT set_config('holdfast.org', '', false)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(ask, own)


async def test_the_inner_functions_are_not_open_to_the_service(service):
    with psycopg.connect(service.app_url, options="-c role=holdfast_app") as raw:
        for call in ("recall_take_out('o', 'memory', 'm')", "recall_write_postings('o', 1)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(f"SELECT {call}")
            raw.rollback()


async def test_many_writers_of_one_scope_do_not_wait_for_ever(index):
    await asyncio.gather(
        *(index.put(f"m{n:02}", f"shared words and number {n}", session_id="s") for n in range(24))
    )
    assert len(await index.ask("shared words", mode="lexical")) == 24


async def test_without_an_embedder_words_alone_answer(service, index):
    await index.put("tea", "She enjoys green tea")
    plain = Database(service.app_url, min_size=1, max_size=2)
    await plain.open()
    try:
        index.db = plain
        found = await index.found("green tea")
        assert [hit.object_id for hit in found.hits] == ["tea"]
        assert "semantic" not in found.hits[0].parts
    finally:
        await plain.close()


async def test_the_only_row_with_an_identifier_comes_first_before_it_is_embedded(service, index):
    for number in range(30):
        await index.put(
            f"m{number:02}",
            f"Is the invoice of customer {number} paid? It is still open, no payment",
        )
    plain = Database(service.app_url, min_size=1, max_size=2)
    await plain.open()
    embedding, index.db = index.db, plain
    try:
        for number in range(1770, 1780):
            await index.put(f"i{number}", f"INV-{number}: 40 EUR, Meier", session_id="batch")
    finally:
        await plain.close()
    index.db = embedding
    found = await index.found("Is invoice INV-1777 of customer Meier paid or still open?")
    assert found.hits[0].object_id == "i1777"
    assert found.hits[0].score > found.hits[1].score
    assert found.hits[0].parts["identifier"] > 0


@pytest.mark.parametrize("language", ["english", "french", "german", "simple"])
async def test_accents_are_folded_in_every_language(index, language):
    async with index.db.begin(index.caller) as tx:
        await tx.run(
            Query("choose", "UPDATE orgs SET language = %(language)s WHERE org_id = %(org_id)s"),
            language=language,
        )
    await index.put("it", "Das Café Müller in Besançon")
    await index.put("other", "the library in the park")
    for query in ("cafe", "CAFÉ", "muller", "Besancon"):
        assert await index.ask(query, mode="lexical") == ["it"], query


async def test_lexical_mode_orders_by_rank_then_pinned_importance_and_change(index):
    same = "a note about tea"
    await index.put("a", same, importance=5)
    await index.put("b", same, importance=9)
    await index.put("c", same, pinned=True, importance=1)
    await index.put("d", same, importance=5, updated_at=NOW + timedelta(hours=1))
    await index.put("e", "nothing else", head="tea")
    assert await index.ask("tea", mode="lexical") == ["e", "c", "b", "d", "a"]


async def test_the_search_is_one_function_of_the_question(index):
    await index.put("m1", "the secret garden")
    first = await index.found("garden")
    assert list((await index.found("garden")).hits) == list(first.hits)
    assert search is not None


async def test_passages_are_read_closely_by_default_and_not_where_it_is_turned_off(service, index):
    await index.put("tea", "She enjoys green tea in the morning", actor="Ana")
    await index.put("car", "The engine was repaired in the garage", actor="Ana")
    closely = await index.found("what does she drink in the morning?")
    assert closely.hits[0].object_id == "tea"
    assert closely.hits[0].parts["close_reading"] > 0
    off = Database(
        service.app_url, min_size=1, max_size=2, services=[Embedders("local", close_reading=False)]
    )
    await off.open()
    try:
        index.db = off
        plainly = await index.found("what does she drink in the morning?")
        assert plainly.hits[0].object_id == "tea"
        assert "close_reading" not in plainly.hits[0].parts
        assert plainly.hits[0].parts["semantic"] > 0
    finally:
        await off.close()


async def test_a_short_turn_is_found_by_meaning_through_what_it_answers(index):
    turn = {"session_id": "s", "actor": "Ana"}
    await index.put("m1", "Yes, last May", before="Bob: Did you move to Oslo?", **turn)
    await index.put("m2", "Yes, last June", before="Bob: Did you sell the car?", **turn)
    assert (await index.ask("moving house to Norway", mode="semantic"))[0] == "m1"


async def test_a_score_says_whether_anything_answers(index):
    for number, text in enumerate(
        ["She enjoys green tea in the morning", "The engine was repaired in the garage",
         "My sister lives in Lisbon", "The meeting moved to Thursday"]
    ):  # fmt: skip
        await index.put(f"m{number}", text)
    own = await index.found("where does my sister live?")
    assert own.hits[0].object_id == "m2"
    assert own.hits[0].score > 0.8
    for foreign in ("How does RSA encryption work?", "What is the melting point of gallium?"):
        found = await index.found(foreign)
        assert max((hit.score for hit in found.hits), default=0.0) < 0.3, foreign


async def test_candidates_come_in_the_order_in_which_the_fusion_reads_them(index):
    await index.put("tea", "green tea")
    asked = {
        "scopes": ["memory/global:ana"],
        "kinds": ["memory"],
        "labels": [],
        "text": "tea",
        "literals": "",
    }
    nothing = dict.fromkeys(("workspace_id", "vector", "model"))
    limits = {"lexical_limit": 5, "semantic_limit": 5, "asked_at": NOW}
    limits |= {"closely": False, "preferences": None, "keep": None}
    [row] = await index.db.all(
        index.caller, dict, passages.queries.candidates, **asked, **nothing, **limits
    )
    assert tuple(row) == Candidate._fields == Fields._fields
