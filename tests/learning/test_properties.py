"""What holds for the rules whatever is said."""

import re
from pathlib import Path

import pytest
from bench.memchat import read_spaces
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast.learning
from holdfast.learning.model import CONTEXT_MESSAGES, Message, Speaker
from holdfast.learning.rules import extract
from holdfast.learning.secrets import MASK, mask_secrets
from tests.learning.conversations import MONDAY, said

SAID = sorted({turn for space in read_spaces()[:6] for turn in space.text_of.values()})
SECRETS = [
    "my password is hunter2",
    "sk-" + "a1" * 20,
    "card 4111 1111 1111 1111",
    "the gate code is 9921",
]
LINES = st.one_of(st.sampled_from(SAID), st.sampled_from(SECRETS), st.text(max_size=80))
ROLES = st.sampled_from(["user", "user", "user", "assistant", "tool", "system"])
CONVERSATIONS = st.lists(st.tuples(ROLES, LINES), max_size=24)


def messages(turns: list[tuple[str, str]]) -> list[Message]:
    return [said(text, role=role, number=number) for number, (role, text) in enumerate(turns)]  # type: ignore[arg-type]


@settings(max_examples=50, deadline=None)
@given(CONVERSATIONS)
def test_the_same_conversation_gives_the_same_candidates(turns):
    conversation = messages(turns)
    assert extract(conversation, speaker=Speaker()) == extract(conversation, speaker=Speaker())


@settings(max_examples=50, deadline=None)
@given(CONVERSATIONS)
def test_every_quote_is_in_its_message_and_cites_no_secret(turns):
    conversation = messages(turns)
    content = {each.id: each.content for each in conversation}
    for candidate in extract(conversation, speaker=Speaker("Maya")).candidates:
        assert candidate.sources
        for source in candidate.sources:
            assert source.quote in mask_secrets(content[source.message_id])
            assert source.quote
            assert MASK not in source.quote
        assert MASK not in candidate.text
        assert "hunter2" not in candidate.text


@settings(max_examples=50, deadline=None)
@given(CONVERSATIONS)
def test_only_the_users_words_are_trusted_as_the_users(turns):
    conversation = messages(turns)
    role = {each.id: each.role for each in conversation}
    for candidate in extract(conversation, speaker=Speaker()).candidates:
        roles = {role[source.message_id] for source in candidate.sources}
        if candidate.trust == "user":
            assert roles == {"user"}
        assert candidate.quarantined == (candidate.trust == "tool")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ROLES, st.sampled_from(SAID)), max_size=24), st.integers(1, 9))
def test_settling_in_parts_learns_the_same_as_settling_at_once(turns, size):
    """With the ten messages before each part as context. Something taken back later is gone from either."""
    conversation = messages(turns)
    whole = extract(conversation, speaker=Speaker())
    parts = [
        extract(conversation[at : at + size], context=conversation[max(0, at - CONTEXT_MESSAGES) : at], speaker=Speaker())
        for at in range(0, len(conversation), size)
    ]  # fmt: skip
    gone = {each for part in parts for each in part.retracted}
    assert gone == set(whole.retracted)
    kept = {
        each.text
        for part in parts
        for each in part.candidates
        if not {source.message_id for source in each.sources} <= gone
    }
    assert kept == {each.text for each in whole.candidates}


HOSTILE = [
    "a", " ", "I ", "my ", "\"", "'", "```", "<document>", "> ", "\n", "if i ", "remember that ", "not ", "1", "1 ", "the 3rd of ", "A", "Aa ", "I like a ",
    "-----BEGIN PRIVATE KEY-----", "4111 ", "he says he ", "?", ".", "?!", "é", "我", "😂", "from: a\n", "[INST]", "my sister ", "and ", "in Aa, ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_texts_are_read_to_the_end(piece):
    text = (piece * 40_000)[:40_000]
    found = extract(
        [Message("m", "user", text, MONDAY), Message("t", "tool", text, MONDAY)], speaker=Speaker()
    )
    assert all(source.quote in text for each in found.candidates for source in each.sources)


def test_every_pattern_is_matched_in_linear_time():
    """RE2 promises it; the standard library's `re` does not."""
    folder = Path(holdfast.learning.__file__).parent
    assert [
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"^(?:import|from) re\b", path.read_text(), re.M)
    ] == []
