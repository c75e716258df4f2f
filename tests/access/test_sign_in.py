"""Signing in, stepping up, signing out: from a browser's side."""

import asyncio

import pyotp
import pytest

from holdfast.access import service as access
from tests.access.conftest import PASSWORD


async def test_the_cookie_is_out_of_reach_of_scripts(browser, person):
    reply = await browser().login(await person())
    assert reply.status_code == 200, reply.text
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    body = reply.json()
    assert body["user"]["id"] == "ana"
    assert body["csrf_token"]
    assert body["step_up_expires_at"] is None  # signing in is no step-up


async def test_a_wrong_password_and_an_unknown_account_sound_the_same(browser, person):
    email = await person()
    wrong = await browser().login(email, "not the password")
    unknown = await browser().login(f"nobody-{email}", "not the password")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json()["detail"] == unknown.json()["detail"]


async def test_a_write_with_the_cookie_needs_the_csrf_token(signed_in):
    del signed_in.http.headers["X-CSRF-Token"]
    refused = await signed_in.http.put("/workspaces/w", json={})
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf")
    signed_in.http.headers["X-CSRF-Token"] = "guessed"
    assert (await signed_in.http.put("/workspaces/w", json={})).status_code == 403
    assert (await signed_in.http.get("/workspaces")).status_code == 200


async def test_signing_out_ends_the_session_for_whoever_has_the_cookie(signed_in, browser):
    other = browser()
    other.http.cookies.update(signed_in.http.cookies)
    assert (await other.http.get("/auth/session")).status_code == 200
    assert (await signed_in.http.post("/auth/logout")).status_code == 204
    assert (await other.http.get("/auth/session")).status_code == 401
    assert (await other.http.get("/org")).status_code == 401


async def test_a_step_up_needs_the_right_password_and_holds(signed_in):
    assert (await signed_in.step_up(password="wrong password")).status_code == 401
    assert (await signed_in.http.post("/keys", json={"kind": "service"})).status_code == 403
    stepped = await signed_in.step_up()
    assert stepped.status_code == 200
    assert stepped.json()["step_up_expires_at"] is not None
    assert (await signed_in.http.post("/keys", json={"kind": "service"})).status_code == 201


async def test_a_step_up_wears_off_after_ten_minutes(signed_in, db, org, owner_connection):
    await signed_in.step_up()
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE browser_sessions SET stepped_up_at = stepped_up_at - interval '10 minutes'"
    )
    assert (await signed_in.http.post("/keys", json={"kind": "service"})).status_code == 403


async def test_a_step_up_takes_the_password_or_a_code_not_both_or_neither(signed_in):
    assert (await signed_in.http.post("/auth/step-up", json={})).status_code == 422
    both = await signed_in.step_up(password=PASSWORD, totp="123456")
    assert both.status_code == 422


async def test_totp_is_enrolled_asked_for_and_opens_once(signed_in, browser, person):
    email = await person()
    assert (await signed_in.http.post("/auth/totp")).status_code == 403  # needs a step-up
    await signed_in.step_up()
    enrolment = (await signed_in.http.post("/auth/totp")).json()
    assert enrolment["otpauth_uri"].startswith("otpauth://totp/")
    totp = pyotp.TOTP(enrolment["secret"])
    wrong = await signed_in.http.post("/auth/totp/confirm", json={"totp": "000000"})
    assert wrong.status_code == 422
    code = totp.now()
    assert (await signed_in.http.post("/auth/totp/confirm", json={"totp": code})).status_code == 204

    without = await browser().login(email)
    assert without.status_code == 401
    assert without.json()["totp_required"] is True
    replayed = await browser().login(email, totp=code)
    assert replayed.status_code == 401  # the code opened already
    later = totp.at(int(__import__("time").time()) + 30)
    assert (await browser().login(email, totp=later)).status_code == 200

    assert (await signed_in.http.delete("/auth/totp")).status_code == 204
    assert (await browser().login(email)).status_code == 200


async def test_a_one_time_link_opens_once_also_for_two_at_once(browser, org, db, person):
    await person(password=None)
    token = await access.make_link(db, org.operator, "ana")
    replies = await asyncio.gather(
        *(browser().http.post("/auth/link", json={"token": token}) for _ in range(8))
    )
    assert sorted(reply.status_code for reply in replies) == [200] + [401] * 7


async def test_a_one_time_link_is_over_when_its_time_is(browser, org, db, person, owner_connection):
    await person(password=None)
    token = await access.make_link(db, org.operator, "ana")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    changed = owner_connection.execute(
        "UPDATE sign_in_links SET expires_at = now() - interval '1 second' WHERE org_id = %s",
        [org.id],
    )
    assert changed.rowcount == 1
    assert (await browser().http.post("/auth/link", json={"token": token})).status_code == 401


async def test_a_one_time_link_signs_in_and_says_so(anonymous, org, db, person):
    await person(password=None)
    token = await access.make_link(db, org.operator, "ana")
    for ahead in (
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"Sec-Fetch-Mode": "no-cors"},
        {"User-Agent": "Slackbot-LinkExpanding 1.0"},
    ):
        page = await anonymous.get(
            "/", params={"link": token}, headers=ahead, follow_redirects=True
        )
        assert (page.status_code, "set-cookie" in page.headers) == (200, False), ahead
        assert '<form method="post" action="/sign-in">' in page.text
        assert token in page.text
    opened = await anonymous.get("/", params={"link": token}, follow_redirects=True)
    assert opened.status_code == 200
    assert opened.headers["content-type"].startswith("text/html")
    assert "form-action 'self'" in opened.headers["content-security-policy"]
    assert opened.url.path == "/"  # the first page of the console
    assert ">ana</a>" in opened.text
    assert (await anonymous.get("/api/v1/auth/session")).json()["user"]["id"] == "ana"
    again = await anonymous.get("/sign-in", params={"link": token})
    assert again.status_code == 401
    assert "text/html" in again.headers["content-type"]


async def test_the_button_of_a_link_signs_in_from_its_own_page_alone(anonymous, org, db, person):
    await person(password=None)
    token = await access.make_link(db, org.operator, "ana")
    other = await anonymous.post(
        "/sign-in", data={"link": token}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert (other.status_code, "set-cookie" in other.headers) == (403, False)
    pressed = await anonymous.post("/sign-in", data={"link": token})
    assert (pressed.status_code, "httponly" in pressed.headers["set-cookie"].lower()) == (303, True)


@pytest.mark.parametrize("token", ["", '"><script>alert(1)</script>', "x" * 5000])
async def test_a_link_that_is_none_is_refused_and_escaped(anonymous, token):
    refused = await anonymous.get("/sign-in", params={"link": token})
    assert (refused.status_code, "<script>" in refused.text) == (401, False)
    ahead = await anonymous.get("/sign-in", params={"link": token}, headers={"Purpose": "prefetch"})
    assert (ahead.status_code, "<script>" in ahead.text) == (200, False)


async def test_the_first_password_is_set_freely_and_the_next_after_a_step_up(
    browser, org, db, person
):
    email = await person(password=None)
    made = browser()
    reply = await made.http.post(
        "/auth/link", json={"token": await access.make_link(db, org.operator, "ana")}
    )
    made.http.headers["X-CSRF-Token"] = reply.json()["csrf_token"]
    short = await made.http.post("/auth/password", json={"password": "short"})
    assert short.status_code == 422
    assert (await made.http.post("/auth/password", json={"password": PASSWORD})).status_code == 204
    other = browser()
    assert (await other.login(email)).status_code == 200
    again = await made.http.post("/auth/password", json={"password": PASSWORD + "!"})
    assert (again.status_code, again.json()["code"]) == (403, "step_up_required")
    await made.step_up()
    again = await made.http.post("/auth/password", json={"password": PASSWORD + "!"})
    assert again.status_code == 204
    assert (await other.http.get("/auth/session")).status_code == 401  # other browsers are out


async def test_a_user_header_naming_another_is_refused(signed_in):
    refused = await signed_in.http.get("/org", headers={"Holdfast-User": "bob"})
    assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
