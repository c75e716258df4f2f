"""When a call is sent again, proven by a server that counts, and what its answers become."""

import json
import socket
import ssl
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from holdfast_client import (
    AsyncClient,
    BackendUnavailable,
    Client,
    ConnectionFailed,
    NotFound,
    RateLimited,
    Scope,
    UnexpectedReply,
    __version__,
)
from holdfast_client.calls import Reply, delete, get, nothing, one, patch, post
from holdfast_client.directory.calls import put_workspace, read_workspace
from holdfast_client.directory.model import Workspace
from holdfast_client.transport import (
    Failure,
    Retries,
    certificates_for,
    retry_after_s,
    wait_before_retry,
)

SCOPE = Scope()
READ = get(SCOPE, "/x", nothing)
MAKE = post(SCOPE, "/x", nothing)
CHANGE = patch(SCOPE, "/x", nothing, {})
TAKE_AWAY = delete(SCOPE, "/x")
TAKE_AWAY_BY_ID = delete(SCOPE, "/x", repeatable=True)
BARE_POST = post(SCOPE, "/x", nothing, repeatable=False)
EVERY = [READ, MAKE, CHANGE, TAKE_AWAY, TAKE_AWAY_BY_ID, BARE_POST]
REPEATABLE = [READ, MAKE, TAKE_AWAY_BY_ID]

STAMP = "2026-01-31T12:00:00.000000Z"
MADE = {"id": "w", "name": None, "version": 1, "created_at": STAMP, "updated_at": STAMP}
OK = (200, {}, json.dumps({**MADE, "sheen": "new"}).encode())


def problem(status, code, **headers):
    body = {"code": code, "detail": "no", "status": status, "request_id": "req_1"}
    return (status, headers, json.dumps(body).encode())


DOWN = problem(503, "MEM-003", **{"Retry-After": "0"})
BUSY = problem(429, "rate_limited", **{"Retry-After": "0"})
GONE = problem(404, "not_found")
DROP = "drop"


# --- the decision ----------------------------------------------------------------------------------------------------


def wait(call, outcome, attempt=1, jitter=0.0, **retries):
    return wait_before_retry(call, outcome, attempt, Retries(**retries), jitter=jitter)


def again(calls, outcome):
    return [call for call in calls if wait(call, outcome) is not None]


def test_what_never_reached_the_server_or_was_refused_unread_may_always_be_sent_again():
    for error in (httpx.ConnectError(""), httpx.ConnectTimeout(""), httpx.PoolTimeout("")):
        assert again(EVERY, Failure(error)) == EVERY
    assert again(EVERY, Reply(429, {}, b"")) == EVERY


def test_what_may_have_been_done_is_sent_again_only_where_twice_is_as_good_as_once():
    for error in (httpx.ReadError(""), httpx.ReadTimeout(""), httpx.RemoteProtocolError("")):
        assert again(EVERY, Failure(error)) == REPEATABLE
    for status in (502, 503, 504):
        assert again(EVERY, Reply(status, {}, b"")) == REPEATABLE


def test_answers_and_refusals_are_final():
    for status in (200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 412, 413, 422, 423, 500, 501):
        assert again(EVERY, Reply(status, {}, b"")) == []
    for error in (httpx.LocalProtocolError(""), httpx.UnsupportedProtocol("")):
        assert again(EVERY, Failure(error)) == []


def test_waits_double_up_to_a_longest_one_and_jitter_shortens_them_by_up_to_half():
    lost = Failure(httpx.ReadError(""))
    waits = [wait(READ, lost, attempt, most=9) for attempt in range(1, 9)]
    assert waits == [0.25, 0.5, 1, 2, 4, 8, 8, 8]
    assert wait(READ, lost, jitter=1.0) == 0.125
    assert wait(READ, lost, 2) is not None
    assert wait(READ, lost, 3) is None
    assert wait(READ, lost, 1, most=0) is None


def test_a_server_that_says_when_is_believed_within_reason():
    def busy(after):
        return Reply(429, {"retry-after": after}, b"")

    assert wait(READ, busy("7")) == 7
    assert wait(READ, busy("0")) == 0.25
    assert wait(READ, busy("61")) is None
    assert wait(READ, busy("soon")) == 0.25
    at = datetime.now(UTC) + timedelta(seconds=30)
    assert 25 < retry_after_s(busy(format_datetime(at, usegmt=True))) <= 30
    assert retry_after_s(busy(format_datetime(datetime(2020, 1, 1, tzinfo=UTC)))) == 0


# --- against a server that fails -------------------------------------------------------------------------------------


async def ask(way, url, call, **options):
    """Send one call by the sync or the async client."""
    if way == "sync":
        with Client(url, "k", **options) as client:
            return client.send(call)
    async with AsyncClient(url, "k", **options) as client:
        return await client.send(call)


ways = pytest.mark.parametrize("way", ["sync", "async"])


@ways
@pytest.mark.parametrize("failure", [DOWN, BUSY, DROP, (502, {}, b"<html>"), (504, {}, b"")])
async def test_a_write_is_sent_again_with_the_same_key_and_body(answering, way, failure):
    with answering(failure, OK) as server:
        made = await ask(way, server.url, put_workspace(SCOPE, "w", name="W"))
    assert made == Workspace("w", None, 1, made.created_at, made.updated_at)
    first, second = server.asked
    assert (first.method, first.path, first.body) == (second.method, second.path, second.body)
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


@ways
async def test_two_calls_have_two_keys_and_a_key_of_ones_own_is_kept(answering, way):
    with answering(OK) as server:
        for call in (put_workspace(SCOPE, "w"), put_workspace(SCOPE, "w").under("mine")):
            await ask(way, server.url, call)
            await ask(way, server.url, call)
        await ask(way, server.url, read_workspace(SCOPE, "w"))
    keys = [asked.headers.get("idempotency-key") for asked in server.asked]
    assert keys[0] != keys[1]
    assert keys[2:] == ["mine", "mine", None]


@ways
async def test_what_a_second_time_might_apply_twice_is_sent_once(answering, way):
    for call in (CHANGE, TAKE_AWAY, BARE_POST):
        with answering(DROP, (204, {}, b"")) as server, pytest.raises(ConnectionFailed):
            await ask(way, server.url, call)
        assert len(server.asked) == 1


@ways
async def test_it_gives_up_after_max_retries_with_the_last_error(answering, way):
    with answering(DOWN) as server:
        with pytest.raises(BackendUnavailable) as down:
            await ask(way, server.url, READ)
        assert len(server.asked) == 3
        assert down.value.retry_after == 0
        with pytest.raises(BackendUnavailable):
            await ask(way, server.url, READ, max_retries=0)
        assert len(server.asked) == 4


@ways
async def test_a_long_retry_after_is_the_callers_to_wait_for(answering, way):
    busy = problem(429, "rate_limited", **{"Retry-After": "3600"})
    with answering(busy) as server, pytest.raises(RateLimited) as limited:
        await ask(way, server.url, READ)
    assert (len(server.asked), limited.value.retry_after) == (1, 3600)


@ways
async def test_refusals_are_not_argued_with(answering, way):
    with answering(GONE, OK) as server, pytest.raises(NotFound):
        await ask(way, server.url, READ)
    assert len(server.asked) == 1


@ways
async def test_a_delete_by_id_that_finds_nothing_after_a_lost_answer_is_done(answering, way):
    with answering(DROP, GONE) as server:
        await ask(way, server.url, TAKE_AWAY_BY_ID)
    assert len(server.asked) == 2
    with answering(BUSY, GONE) as server, pytest.raises(NotFound):
        await ask(way, server.url, TAKE_AWAY_BY_ID)
    with answering(GONE) as server, pytest.raises(NotFound):
        await ask(way, server.url, TAKE_AWAY_BY_ID)


@ways
async def test_a_server_that_is_not_there_is_a_failed_connection(answering, way):
    with answering(OK) as server:
        pass
    with pytest.raises(ConnectionFailed) as failed:
        await ask(way, server.url, READ, max_retries=1)
    assert failed.value.status is None
    assert isinstance(failed.value.__cause__, httpx.ConnectError)


@ways
async def test_a_server_that_does_not_answer_in_time_is_a_failed_connection(way):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ConnectionFailed):
            await ask(way, url, READ, timeout=0.1, max_retries=0)


@ways
@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>"),
        (200, {}, b'{"id": "w"}'),
        (302, {"Location": "http://127.0.0.1:1/"}, b""),
        (502, {}, b"<html>"),
    ],
)
async def test_an_answer_that_is_none_of_holdfasts_is_an_unexpected_reply(answering, way, answer):
    with answering(answer) as server, pytest.raises(UnexpectedReply) as unexpected:
        await ask(way, server.url, get(SCOPE, "/x", one(Workspace)), max_retries=0)
    assert unexpected.value.status == answer[0]


# --- against the service ---------------------------------------------------------------------------------------------


class LosesAnswers(httpx.HTTPTransport):
    """Lets requests through, and breaks the connection over the first answer."""

    lost = 0

    def handle_request(self, request):
        response = super().handle_request(request)
        if self.lost == 0:
            self.lost += 1
            response.read()
            raise httpx.ReadError("the answer was lost", request=request)
        return response


async def test_a_write_whose_answer_was_lost_is_applied_once(org):
    with httpx.Client(transport=LosesAnswers()) as http:
        client = Client(org.url, org.key, http=http)
        assert client.directory.put_workspace("w", name="W").version == 1
        assert client.directory.read_workspace("w").version == 1
        client.close()
        assert not http.is_closed


class LosesAnswersAsync(httpx.AsyncHTTPTransport):
    """The same, awaited."""

    lost = 0

    async def handle_async_request(self, request):
        response = await super().handle_async_request(request)
        if self.lost == 0:
            self.lost += 1
            await response.aread()
            raise httpx.ReadError("the answer was lost", request=request)
        return response


async def test_an_awaited_write_whose_answer_was_lost_is_applied_once(org):
    async with httpx.AsyncClient(transport=LosesAnswersAsync()) as http:
        client = AsyncClient(org.url, org.key, http=http)
        assert (await client.directory.put_workspace("w", name="W")).version == 1
        assert (await client.directory.read_workspace("w")).version == 1


def test_threads_may_share_a_client(org):
    with Client(org.url, org.key) as client, ThreadPoolExecutor(8) as pool:
        names = [f"w{number}" for number in range(24)]
        made = [*pool.map(client.directory.put_workspace, names)]
    assert [workspace.id for workspace in made] == names


# --- where and with which key ----------------------------------------------------------------------------------------


def test_the_environment_says_where_and_with_which_key(org, monkeypatch):
    monkeypatch.setenv("HOLDFAST_URL", f"{org.url}/")
    monkeypatch.setenv("HOLDFAST_API_KEY", org.key)
    with Client() as client:
        assert client.directory.read_org().id == org.id


def test_without_a_key_it_says_what_to_do(monkeypatch):
    monkeypatch.delenv("HOLDFAST_API_KEY", raising=False)
    with pytest.raises(ValueError, match="set HOLDFAST_API_KEY"):
        Client("http://127.0.0.1:1")
    with pytest.raises(ValueError, match="looks like"):
        Client("127.0.0.1:8321", "k")


def test_a_scoped_client_shares_connections_and_leaves_them_open(org):
    with Client(org.url, org.key) as client:
        with client.scope(user="ana") as ana:
            assert ana.directory.read_org().id == org.id
        assert client.directory.read_org().id == org.id
        assert org.key not in repr(client) + repr(ana) + repr(client._sender.server)
    with pytest.raises(RuntimeError):
        client.directory.read_org()


def test_the_version_it_reports_is_the_packages():
    pyproject = Path(__file__).parents[2] / "sdk" / "pyproject.toml"
    assert tomllib.loads(pyproject.read_text())["project"]["version"] == __version__


def test_certificates_are_read_for_https_alone():
    assert certificates_for("https://memory.example").get_ca_certs()
    plain = certificates_for("http://127.0.0.1:8321")
    assert plain.get_ca_certs() == []
    assert plain.verify_mode == ssl.CERT_REQUIRED  # should it be used, it refuses every server
