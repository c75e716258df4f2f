import itertools

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.embedding_models import Said
from holdfast.kernel.recall.passages import OVERLAP_CHARS, PASSAGE_CHARS, cut, embedding_texts
from tests.kernel.recall.conftest import document


@given(st.text(alphabet="ab .\n漢", max_size=6_000))
def test_passages_cover_the_text_and_overlap(text: str):
    cuts = cut(text)
    assert cuts[0][0] == 0
    assert cuts[-1][1] == len(text)
    for start, end in cuts:
        assert end - start <= PASSAGE_CHARS
    for (_, end), (start, _) in itertools.pairwise(cuts):
        assert end - OVERLAP_CHARS <= start <= end
    assert all(a < b for (a, _), (b, _) in itertools.pairwise(cuts))


def test_a_key_of_words_is_embedded_and_an_identifier_is_not():
    [said] = embedding_texts(document("m", "blue", head="favourite_color"))
    assert said == Said("favourite color: blue")
    [said] = embedding_texts(document("m", "blue", head="D1:3", actor="Ana", before="Which?"))
    assert said == Said("blue", "Ana", "Which?")


async def test_what_is_put_again_replaces_what_it_said(index):
    await index.put("m1", "the zebra eats grass")
    await index.put("m1", "the heron eats fish")
    assert await index.ask("zebra", mode="lexical") == []
    assert await index.ask("heron", mode="lexical") == ["m1"]


async def test_what_is_dropped_leaves_no_word_behind(index, owner_connection):
    await index.put("m1", "the password is xylophone77", session_id="s")
    await index.put("m2", "thanks, noted", session_id="s")
    await index.drop("m1")
    assert await index.ask("xylophone77") == []
    for table in ("postings", "recall_vocabulary"):
        left = owner_connection.execute(
            f"SELECT count(*) FROM {table} WHERE org_id = %s AND lexeme LIKE 'xylo%%'",
            [index.caller.org_id],
        ).fetchone()
        assert left == (0,), table


async def test_a_search_reads_no_list_of_words_that_are_not_in_the_index_yet(
    index, owner_connection
):
    """A pending list is read whole by every search of a word that is nowhere, whoever wrote the words in it."""
    await index.put("m1", "Quorums of bassoonists misplaced their xylophones")
    [pages] = owner_connection.execute(
        "SELECT gin_clean_pending_list('recall_vocabulary_by_trigram')"
    ).fetchone()
    assert pages == 0


async def test_a_short_turn_is_found_by_what_it_answers(index):
    await index.put("m1", "Where do you keep the telescope?", session_id="s")
    await index.put("m2", "In the attic, behind the boxes.", session_id="s")
    await index.put("m3", "In the kitchen, by the window.", session_id="t")
    found = await index.ask("telescope")
    assert found[:2] == ["m1", "m2"]
    assert "m3" not in found[:2]


async def test_a_neighbour_that_is_changed_changes_what_follows_it(index, owner_connection):
    await index.put("m1", "Where is the telescope?", session_id="s")
    await index.put("m2", "In the attic.", session_id="s")
    await index.put("m1", "Where is the piano?", session_id="s")
    rows = owner_connection.execute(
        "SELECT p.object_id, o.lexeme FROM postings o JOIN passages p ON p.id = o.passage_id "
        "WHERE o.org_id = %s AND o.lexeme IN ('piano', 'telescop') ORDER BY 1",
        [index.caller.org_id],
    ).fetchall()
    assert rows == [("m1", "piano"), ("m2", "piano")]


async def test_a_long_content_is_found_by_a_passage_near_its_end(index):
    body = "The weather was fine. " * 200 + "The vault code is kept by Marguerite."
    await index.put("long", body)
    [hit] = (await index.found("who keeps the vault code")).hits
    assert "Marguerite" in hit.passage_of(body)
    assert len(hit.passage_of(body)) <= PASSAGE_CHARS
