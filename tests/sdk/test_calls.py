"""What a Call says about the request it becomes."""

import subprocess
import sys
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast_client import Client, Scope
from holdfast_client.calls import (
    Reply,
    at,
    data_of,
    delete,
    field_of,
    get,
    nothing,
    patch,
    post,
    put,
    raw,
    remove,
)
from holdfast_client.values import Unreadable

ANYONE = Scope()


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("plain-1.2:3@x_y", "/e/plain-1.2%3A3%40x_y"),
        ("a/b", "/e/a%2Fb"),
        ("..", "/e/%2E%2E"),
        (".", "/e/%2E"),
        ("...", "/e/%2E%2E%2E"),
        ("100%41?#", "/e/100%2541%3F%23"),
        ("naïve key", "/e/na%C3%AFve%20key"),
    ],
)
def test_an_id_or_key_is_one_segment_of_the_path_whatever_it_holds(key, path):
    assert at("e", key) == path


def test_an_empty_id_is_refused_before_it_names_the_list_it_would_stand_in():
    with pytest.raises(ValueError, match="may not be empty"):
        at("workspaces", "")


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_no_key_leaves_its_segment(key):
    assert at("e", key).count("/") == 2
    assert "?" not in at("e", key)


def test_a_path_reaches_the_server_as_it_was_encoded(answering):
    keys = ["a/b", "..", "100%41", "ü"]
    with answering((204, {}, b"")) as server, Client(server.url, "k") as client:
        for key in keys:
            client.send(get(ANYONE, at("e", key), nothing))
    assert [asked.path for asked in server.asked] == [f"/api/v1{at('e', key)}" for key in keys]


def test_a_query_leaves_out_none_repeats_lists_and_writes_times_in_full(answering):
    query = {
        "limit": 5,
        "tags": ["a", "b c"],
        "deep": True,
        "since": datetime(2026, 1, 31, tzinfo=UTC),
        "created_at[gte]": "x",
        "gone": None,
    }
    with answering((204, {}, b"")) as server, Client(server.url, "k") as client:
        client.send(get(ANYONE, "/e", nothing, query))
    assert parse_qsl(urlsplit(server.asked[0].path).query) == [
        ("limit", "5"),
        ("tags", "a"),
        ("tags", "b c"),
        ("deep", "true"),
        ("since", "2026-01-31T00:00:00.000000Z"),
        ("created_at[gte]", "x"),
    ]


def test_raw_content_goes_out_with_its_own_type(answering):
    with answering((200, {}, b"\x00\xff")) as server, Client(server.url, "k") as client:
        call = post(ANYONE, "/import", raw, content=b"PK\x03", content_type="application/zip")
        assert client.send(call) == b"\x00\xff"
    asked = server.asked[0]
    assert (asked.body, asked.headers["content-type"]) == (b"PK\x03", "application/zip")


def test_json_goes_out_as_utf_8(answering):
    with answering((204, {}, b"")) as server, Client(server.url, "k") as client:
        client.send(put(ANYONE, "/e/x", nothing, {"content": "grüße"}))
    asked = server.asked[0]
    assert (asked.body, asked.headers["content-type"]) == (
        '{"content": "grüße"}'.encode(),
        "application/json",
    )


def test_which_calls_may_be_repeated():
    assert get(ANYONE, "/x", nothing).repeatable
    assert post(ANYONE, "/x", nothing).repeatable
    assert put(ANYONE, "/x", nothing).repeatable
    assert not post(ANYONE, "/x", nothing, repeatable=False).repeatable
    assert not patch(ANYONE, "/x", nothing, {}).repeatable
    assert not delete(ANYONE, "/x").repeatable
    assert delete(ANYONE, "/x", repeatable=True).repeatable


def test_a_call_carries_its_scope_and_its_guard():
    call = patch(Scope(user="ana", workspace="w", agent="a"), "/org", nothing, {}, if_match=3)
    assert call.headers == {
        "Holdfast-User": "ana",
        "Holdfast-Workspace": "w",
        "If-Match": '"3"',
    }


@pytest.mark.parametrize("name", ["", "a\r\nX: y", "ä"])
def test_a_name_that_cannot_be_sent_is_refused_when_it_is_bound(name):
    with pytest.raises(ValueError, match="user: 1–128"):
        Scope().narrowed(user=name)


def test_data_is_read_from_answers_without_pages():
    assert data_of(int)(Reply(200, {}, b'{"data": [1, 2]}')) == [1, 2]
    with pytest.raises(Unreadable):
        data_of(int)(Reply(200, {}, b"[1, 2]"))


def test_one_field_is_read_from_an_answer_and_named_where_it_is_missing():
    assert field_of("forgotten", bool)(Reply(200, {}, b'{"forgotten": true, "more": 1}')) is True
    for content in (b'{"other": true}', b'{"forgotten": "yes"}'):
        with pytest.raises(Unreadable, match=r"^forgotten: expected bool"):
            field_of("forgotten", bool)(Reply(200, {}, content))


def test_what_is_taken_away_by_a_name_is_not_taken_away_twice():
    call = remove(ANYONE, "/x", field_of("forgotten", bool), if_match=3)
    assert (call.method, call.repeatable) == ("DELETE", False)
    assert call.headers == {"If-Match": '"3"'}


def test_importing_the_client_does_not_load_the_command_line_of_httpx() -> None:
    """Which loads click, rich and pygments; a program that wants it can still have it."""
    code = (
        "import sys, holdfast_client, httpx\n"
        "assert not {'click', 'rich', 'pygments'} & sys.modules.keys()\n"
        "assert httpx is holdfast_client.lean_httpx.httpx\n"
        "import httpx._main\n"
        "assert callable(httpx._main.main)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
