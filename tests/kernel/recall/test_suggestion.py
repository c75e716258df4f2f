"""Questions that ask for a suggestion: what the asker likes counts for them."""

import pytest

from holdfast.kernel.recall.suggestion import preferences_wanted


@pytest.mark.parametrize(
    "query",
    [
        "Can you suggest a hotel for my trip to Miami?",
        "Any tips for the slow cooker?",
        "I need some new dinner ideas",
        "What should I read next?",
        "Where in Lisbon should I stay?",
        "any recommendations for a podcast",
        "Please recommend a wine",
        "I need advice on running shoes",
    ],
)
def test_a_query_that_asks_for_a_suggestion(query):
    assert preferences_wanted(query) is not None


@pytest.mark.parametrize(
    "query",
    [
        "Which hotel did I book in Miami?",
        "What should the report contain?",
        "He tipped the waiter",
        "ideal temperature of green tea",
        "Was schlägst du vor?",
    ],
)
def test_a_query_that_does_not(query):
    assert preferences_wanted(query) is None


async def parts_of(index, query: str) -> dict[str, float]:
    hits = (await index.found(query)).hits
    return {hit.object_id: hit.parts.get("preference", 0.0) for hit in hits}


async def test_what_somebody_likes_counts_where_a_suggestion_is_asked_for(index):
    await index.put("likes", "I love hotels with a rooftop pool", actor="user")
    await index.put("saved", "Ana prefers a quiet hotel")
    await index.put("plain", "The hotel was booked out in March", actor="user")
    await index.put("offer", "I would love to help you with the hotel", actor="assistant")
    asked = await parts_of(index, "Can you suggest a hotel?")
    assert set(asked) == {"likes", "saved", "plain", "offer"}
    assert asked["likes"] > 0
    assert asked["saved"] > 0
    assert asked["plain"] == asked["offer"] == 0
    assert not any((await parts_of(index, "Which hotel was booked out?")).values())


async def test_the_words_of_a_preference_alone_bring_nothing_up(index):
    await index.put("likes", "I love rooftop pools", actor="user")
    await index.put("plain", "The hotel was booked out in March", actor="user")
    found = await index.found("Can you suggest a hotel?", mode="lexical")
    assert [hit.object_id for hit in found.hits] == ["plain"]
