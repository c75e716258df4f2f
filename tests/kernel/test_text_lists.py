"""Lists of texts arrive as they were sent, whichever way they are written."""

import json
from decimal import Decimal

import psycopg
import pytest
from psycopg.adapt import PyFormat
from psycopg.types.array import ListDumper
from psycopg.types.json import set_json_loads

from holdfast.kernel.sql import Query

ECHO = Query("echo", "SELECT unnest(%(texts)s::text[]) AS text")
NESTED = Query("nested", """SELECT '{"n": 1.50}'::jsonb AS found""")
NUMBERS = Query("numbers", "SELECT unnest(%(numbers)s) AS number")


@pytest.mark.parametrize(
    "texts",
    [
        ["a"],
        ["", " ", "NULL", "null"],
        ['say "hi"', "back\\slash", "\\", '"', '\\"', "{a,b}", "a,b", "tab\tline\nend"],
        ["é", "東京", "plain"],
        ["a", None, "b"],
        [],
    ],
)
async def test_texts_arrive_as_they_were_sent(db, org, texts):
    assert await db.all(org.caller(), str, ECHO, texts=texts) == texts


async def test_other_lists_keep_their_types(db, org):
    assert await db.all(org.caller(), int, NUMBERS, numbers=[1, 2, 70_000]) == [1, 2, 70_000]
    assert await db.all(org.caller(), float, NUMBERS, numbers=[0.5]) == [0.5]


async def test_a_list_is_refused_where_a_text_would_be(db, org):
    with pytest.raises(psycopg.DataError):
        await db.all(org.caller(), str, ECHO, texts=["a", "b\0c"])
    with pytest.raises(psycopg.DataError):
        await db.all(org.caller(), str, ECHO, texts=["a", 1])


async def test_connections_of_other_programs_are_left_alone(db, org, service):
    assert await db.all(org.caller(), str, ECHO, texts=["a"]) == ["a"]
    async with await psycopg.AsyncConnection.connect(service.app_url) as theirs:
        assert theirs.adapters.get_dumper(list, PyFormat.AUTO) is ListDumper
        [number] = await (await theirs.execute("""SELECT '{"n": 1.50}'::jsonb""")).fetchone()
        assert number == {"n": 1.5}
        set_json_loads(lambda text: json.loads(text, parse_float=Decimal))
        try:
            cursor = await theirs.execute("""SELECT '{"n": 1.50}'::jsonb""")
            assert await cursor.fetchone() == ({"n": Decimal("1.50")},)
            assert await db.all(org.caller(), dict, NESTED) == [{"found": {"n": 1.5}}]
        finally:
            set_json_loads(json.loads)
