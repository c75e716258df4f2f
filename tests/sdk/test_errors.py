"""The client's table of errors is the server's."""

import pytest

from holdfast.kernel import errors as servers
from holdfast_client import errors
from holdfast_client.calls import Call, Reply, nothing
from holdfast_client.transport import error_of

CALL = Call("GET", "/org", nothing)


def test_every_code_of_the_server_has_the_error_of_the_same_name():
    # Malformed is an Invalid with another status, and shares its code.
    theirs = {e.code: e.__name__ for e in servers.every_error() if e is not servers.Malformed}
    ours = {
        code: kind.__name__ for code, kind in errors.BY_CODE.items() if kind not in errors.LOCAL
    }
    assert ours == theirs


def test_every_error_can_be_imported_from_the_package():
    import holdfast_client

    for kind in errors.BY_CODE.values():
        assert getattr(holdfast_client, kind.__name__) is kind
        assert kind.__name__ in holdfast_client.__all__


def test_a_code_of_a_newer_server_is_an_error_with_that_code():
    reply = Reply(418, {}, b'{"code": "teapot", "detail": "short and stout", "handle": 1}')
    error = error_of(CALL, reply)
    assert type(error) is errors.HoldfastError
    assert (error.code, error.status, error.facts) == ("teapot", 418, {"handle": 1})


@pytest.mark.parametrize(
    "content", [b"<html>Bad Gateway</html>", b"[]", b"{}", b'{"code": 7}', b""]
)
def test_a_page_of_a_proxy_is_an_unexpected_reply(content):
    error = error_of(CALL, Reply(502, {}, content))
    assert isinstance(error, errors.UnexpectedReply)
    assert error.status == 502


def test_errors_of_an_unknown_shape_do_not_hide_the_error():
    reply = Reply(422, {}, b'{"code": "invalid", "detail": "no", "errors": "all of them"}')
    assert isinstance(error_of(CALL, reply), errors.Invalid)


def test_an_error_has_its_facts_as_attributes():
    limit = errors.LimitExceeded("too long", facts={"limit": 4, "actual": 5})
    assert (limit.code, limit.limit, limit.actual) == ("limit_exceeded", 4, 5)
    assert errors.Conflict("lost", facts={"current": {"id": "x"}}).current == {"id": "x"}
    assert errors.PayloadTooLarge("big", facts={"limit": 9}).limit == 9
    assert errors.RateLimited("slow down", retry_after=2).retry_after == 2
