"""Lists of texts arrive as they were sent, whichever way they are written."""

import psycopg
import pytest

from holdfast.kernel.sql import Query

ECHO = Query("echo", "SELECT unnest(%(texts)s::text[]) AS text")
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
