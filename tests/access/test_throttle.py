"""Guessing is slowed down: atomically, per account and per address, without locking out those who signed in before."""

import asyncio
from datetime import timedelta

import pytest
from starlette.requests import Request

from holdfast.access import throttle
from holdfast.access.model import FREE_ATTEMPTS_OF_ADDRESS
from holdfast.edge.client_address import client_address, read_networks
from holdfast.kernel import clock
from holdfast.kernel.errors import Invalid, RateLimited


@pytest.fixture(autouse=True)
def later():
    """Stops the clock of this process, and turns it."""
    at = clock.now()

    def turn(seconds):
        nonlocal at
        at += timedelta(seconds=seconds)

    clock.set_source(lambda: at)
    yield turn
    clock.set_source(None)


async def guess(db, account, address):
    """Whether a wrong guess is evaluated."""
    try:
        await throttle.count_attempt(db, account=account, address=address)
    except RateLimited:
        return False
    return True


async def sign_in(db, account, address):
    """The right password, which is evaluated or has to wait."""
    attempt = await throttle.count_attempt(db, account=account, address=address)
    await throttle.forget_attempt(db, attempt)


async def test_parallel_guesses_are_evaluated_no_more_often_than_one_by_one(db, org):
    email, other = f"ana {org.id}", f"ben {org.id}"
    one_by_one = [await guess(db, email, f"{org.id}-a") for _ in range(12)]
    parallel = await asyncio.gather(*(guess(db, other, f"{org.id}-b") for _ in range(64)))
    assert sum(parallel) == sum(one_by_one) == 5


async def test_over_http_too_and_the_right_password_starts_anew(browser, person):
    email = await person()
    wrong = [(await browser().login(email, f"guess {n}")).status_code for n in range(3)]
    assert (wrong, (await browser().login(email)).status_code) == ([401] * 3, 200)
    # From here on 127.0.0.1 is known to the account, and has its own counter.
    browsers = [browser() for _ in range(24)]
    for number, each in enumerate(browsers):
        each.http.headers["X-Forwarded-For"] = (
            f"10.0.0.{number}"  # not believed: no proxy is trusted
        )
    replies = await asyncio.gather(*(each.login(email, "wrong password") for each in browsers))
    assert sorted(reply.status_code for reply in replies) == [401] * 5 + [429] * 19
    waits = [int(reply.headers["retry-after"]) for reply in replies if reply.status_code == 429]
    assert 1 <= min(waits) <= max(waits) <= 4


async def test_an_address_that_signed_in_before_is_not_locked_out_by_others(db, org):
    email = org.id
    home, elsewhere = f"{org.id}-home", f"{org.id}-elsewhere"
    await sign_in(db, email, home)
    while await guess(db, email, elsewhere):
        pass
    await sign_in(db, email, home)  # at once
    with pytest.raises(RateLimited):
        await sign_in(db, email, elsewhere)


async def test_an_address_that_signed_in_before_waits_a_minute_at_most(db, org, later):
    email, home = org.id, f"{org.id}-home"
    await sign_in(db, email, home)
    for _ in range(30):  # a guess whenever one is taken
        if not await guess(db, email, home):
            later(30)
    with pytest.raises(RateLimited) as refused:
        await sign_in(db, email, home)
    assert refused.value.retry_after_s <= 60
    later(60)
    await sign_in(db, email, home)
    assert await guess(db, email, home)  # and the count begins anew


async def test_an_unknown_address_waits_up_to_a_quarter_of_an_hour(db, org, later):
    email, address = org.id, f"{org.id}-x"
    for _ in range(17):
        while await guess(db, email, address):
            pass
        with pytest.raises(RateLimited) as refused:
            await sign_in(db, email, address)
        later(refused.value.retry_after_s)
    assert 512 < refused.value.retry_after_s <= 900
    later(3600)
    await sign_in(db, email, address)


async def test_an_address_is_slowed_down_whatever_the_account(db, org, later):
    address = f"{org.id}-shared"
    taken = 0
    for number in range(FREE_ATTEMPTS_OF_ADDRESS + 20):
        try:
            await throttle.count_attempt(db, account=f"{org.id} {number}", address=address)
            taken += 1
        except RateLimited:
            break
    assert taken == FREE_ATTEMPTS_OF_ADDRESS
    # A refused attempt counts for nobody: the account is as free as before.
    await throttle.count_attempt(db, account=f"{org.id} {taken}", address=f"{org.id}-other")


async def test_signing_in_does_not_free_an_address_of_its_other_guesses(db, org):
    email, address = org.id, f"{org.id}-mine"
    for number in range(FREE_ATTEMPTS_OF_ADDRESS - 1):
        await throttle.count_attempt(db, account=f"{org.id} {number}", address=address)
    await sign_in(db, email, address)
    await throttle.count_attempt(db, account=f"{org.id} last", address=address)
    with pytest.raises(RateLimited):
        await throttle.count_attempt(db, account=f"{org.id} more", address=address)


async def test_a_step_up_is_slowed_down_a_minute_at_most(signed_in):
    wrong = [signed_in.step_up(password="wrong password") for _ in range(12)]
    replies = await asyncio.gather(*wrong)
    assert sorted(reply.status_code for reply in replies) == [401] * 5 + [429] * 7
    waits = [int(reply.headers["retry-after"]) for reply in replies if reply.status_code == 429]
    assert max(waits) <= 60


def test_one_client_has_a_whole_ipv6_network():
    same = {
        throttle._subjects("a", address)["address"] for address in ("2001:db8::1", "2001:db8::2")
    }
    assert len(same) == 1
    assert throttle._subjects("a", "2001:db8:0:1::1")["address"] not in same
    four = {throttle._subjects("a", each)["address"] for each in ("192.0.2.1", "::ffff:192.0.2.1")}
    assert len(four) == 1


@pytest.mark.parametrize(
    ("client", "forwarded", "found"),
    [
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),  # nobody vouches for it
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["198.51.100.7, forged"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("testclient", ["198.51.100.7"], "testclient"),
    ],
)
def test_the_rightmost_untrusted_hop_counts(client, forwarded, found):
    class App:
        class state:
            trusted_proxies = read_networks(["10.0.0.0/8", "fd00::1"])

    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    request = Request({"type": "http", "client": (client, 1), "headers": headers, "app": App})
    assert client_address(request) == found


def test_a_proxy_that_is_no_address_is_refused():
    with pytest.raises(Invalid, match="HOLDFAST_TRUSTED_PROXIES"):
        read_networks(["proxy.internal"])
