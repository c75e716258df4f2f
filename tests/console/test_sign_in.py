"""Signing in to the console, stepping up, signing out."""

import pytest

from tests.console.conftest import PASSWORD


async def test_a_page_leads_to_the_sign_in_form_and_back(browser, person):
    visitor = browser()
    turned_away = await visitor.http.get("/account?x=1")
    assert turned_away.status_code == 303
    assert turned_away.headers["location"] == "/sign-in?next=%2Faccount%3Fx%3D1"
    form = await visitor.open("/sign-in", next="/account?x=1")
    assert 'name="next" value="/account?x=1"' in form
    reply = await visitor.sign_in(await person(), next="/account?x=1")
    assert (reply.status_code, reply.headers["location"]) == (303, "/account?x=1")
    assert "<code>ana</code>" in await visitor.open("/account")


@pytest.mark.parametrize(
    "next", ["//evil.example/", "https://evil.example", "/\\evil.example", "x"]
)
async def test_signing_in_stays_on_this_site(browser, person, next):
    reply = await browser().sign_in(await person(), next=next)
    assert reply.headers["location"] == "/"


async def test_a_wrong_password_keeps_the_address_and_shows_no_other_word(browser, person):
    email = await person()
    wrong = await browser().sign_in(email, "not the password")
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
    assert f'value="{email}"' in wrong.text
    unknown = await browser().sign_in(f"nobody-{email}", "not the password")
    assert unknown.text.replace(f"nobody-{email}", email) == wrong.text


async def test_the_form_is_refused_from_another_site(browser, person):
    visitor = browser()
    reply = await visitor.http.post(
        "/sign-in",
        data={"email": await person(), "password": PASSWORD},
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    assert (reply.status_code, "set-cookie" in reply.headers) == (403, False)


async def test_signing_out_ends_the_session(ana):
    await ana.open("/")
    cookies = dict(ana.http.cookies)
    await ana.send("/sign-out")
    ana.http.cookies.update(cookies)
    assert (await ana.http.get("/")).status_code == 303


async def test_a_form_without_its_token_changes_nothing(ana):
    await ana.open("/account")
    for token in ("", "guessed"):
        refused = await ana.http.post("/sign-out", data={"_csrf": token})
        assert refused.status_code == 403
        assert "was not made for your session" in refused.text
    ana_csrf = ana.csrf
    crossing = await ana.http.post(
        "/sign-out", data={"_csrf": ana_csrf}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert crossing.status_code == 403
    await ana.open("/")  # still signed in


async def test_an_api_key_opens_no_page(anonymous, org):
    reply = await anonymous.get("/", headers={"Authorization": f"Bearer {org.key}"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/sign-in?next=%2F")


async def test_a_form_that_needs_a_step_up_is_sent_on_after_it(ana):
    changed = {"password": "another horse battery", "again": "another horse battery"}
    asked = await ana.send("/account/password", status=403, **changed)
    assert 'name="_then" value="/account/password"' in asked.text
    assert 'name="again" value="another horse battery"' in asked.text
    wrong = await ana.send(
        "/step-up", status=401, _password="no", _then="/account/password", **changed
    )
    assert 'name="_then" value="/account/password"' in wrong.text
    right = await ana.send(
        "/step-up", status=307, _password=PASSWORD, _then="/account/password", **changed
    )
    assert right.headers["location"] == "/account/password"
    done = await ana.send("/account/password", **changed)
    assert done.headers["location"] == "/account?notice=password"


async def test_a_refused_password_is_not_shown_and_changes_nothing(ana, browser, person):
    typed = {"password": "first new secret", "again": "other new secret"}
    await ana.step_up()
    refused = (await ana.send("/account/password", status=422, **typed)).text
    assert "the two are not the same" in refused
    assert "Nothing was changed" in refused
    assert "new secret" not in refused
    code = (await ana.send("/account/totp/confirm", status=409, code="123 456 wrong")).text
    assert "123 456 wrong" not in code
    assert (await browser().sign_in(await person())).status_code == 303  # the old one


async def test_codes_are_set_up_on_the_account_page(ana, browser, person):
    import pyotp

    await ana.step_up()
    page = (await ana.send("/account/totp", status=200)).text
    secret = page.split('tabindex="0">')[1].split("<")[0]
    await ana.send("/account/totp/confirm", code=pyotp.TOTP(secret).now())
    other = browser()
    asked = await other.sign_in(await person())
    assert (asked.status_code, 'name="totp"' in asked.text) == (401, True)


async def test_pages_load_nothing_inline_and_nothing_from_elsewhere(ana, anonymous):
    reply = await ana.http.get("/")
    policy = reply.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert " style=" not in reply.text
    assert " onclick" not in reply.text
    for path in ("style.css", "console.js"):
        address = reply.text.split(f'/{path}"')[0].rsplit('"', 1)[1] + f"/{path}"
        asset = await anonymous.get(address)
        assert asset.status_code == 200
        assert "immutable" in asset.headers["cache-control"]
    assert (await anonymous.get("/console/000000000000/style.css")).status_code == 404
    assert (await anonymous.get("/console/000000000000/..%2Frender.py")).status_code == 404


async def test_an_empty_org_teaches_the_first_command(ana):
    page = await ana.open("/")
    assert "holdfast remember" in page
    assert "holdfast demo" in page
