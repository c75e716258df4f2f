"""OAuth: the official MCP client discovers, registers, is allowed, uses, renews and loses its access."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from holdfast.access.oauth.model import Application, OAuthError, register
from holdfast.walls import mcp as mcp_walls
from holdfast.walls.specimens import one_of_everything
from tests.console.chromium import chromium, missing, sign_in
from tests.console.conftest import PASSWORD
from tests.console.places import check_page
from tests.mcp_client import ask, refused

CALLBACK = "http://127.0.0.1:9/callback"
VERIFIER = "v" * 64
CHALLENGE = "w1TpKUdYE9hUAcNSeeSRFioHDxfUxuHho_JHAfZ_vDM"


class Kept:
    """What the client keeps between two runs."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Way:
    """How a person gets from the address that the client opens to the address that it listens at."""

    def __init__(self, browser, email, decision="allow"):
        self.browser, self.email, self.decision = browser, email, decision
        self.url = ""

    async def open(self, url):
        self.url = url

    async def come_back(self):
        """Sign in, step up where it is asked for, and decide; what the redirect carries."""
        http, parts = self.browser.http, urlsplit(self.url)
        page = await http.get(f"{parts.path}?{parts.query}")
        assert page.status_code == 303
        assert page.headers["location"].startswith("/sign-in?next=")
        then = parse_qs(urlsplit(page.headers["location"]).query)["next"][0]
        signed_in = await self.browser.sign_in(self.email, next=then)
        assert signed_in.headers["location"] == then
        return await self.decide(then)

    async def decide(self, path):
        text = await self.browser.open(path)
        assert "Inspector" in text
        fields = dict(parse_qsl(urlsplit(path).query))
        reply = await self.browser.send("/oauth/authorize", decision=self.decision, **fields)
        if reply.headers["location"].startswith("/step-up?"):
            again = parse_qs(urlsplit(reply.headers["location"]).query)["next"][0]
            await self.browser.send("/step-up", _password=PASSWORD, next=again)
            return await self.decide(again)
        found = dict(parse_qsl(urlsplit(reply.headers["location"]).query))
        assert reply.headers["location"].startswith(CALLBACK)
        return AuthorizationCodeResult(code=found["code"], state=found["state"], iss=found["iss"])


def provider(url, way, kept, scope=None):
    metadata = OAuthClientMetadata(
        client_name="Inspector",
        redirect_uris=[CALLBACK],
        scope=scope,
        grant_types=["authorization_code", "refresh_token"],
    )
    return OAuthClientProvider(url, metadata, kept, way.open, way.come_back)


async def form(http, path, **fields):
    return await http.post(path, data=fields)


async def allowed(browser, email, *, scope="read write", decision="allow", redirect_uri=CALLBACK):
    """A code, by hand; and the client that may use it."""
    client_id = register({"client_name": "Inspector", "redirect_uris": [CALLBACK]}).client_id
    query = {
        "response_type": "code", "client_id": client_id, "redirect_uri": redirect_uri, "state": "s",
        "scope": scope, "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }  # fmt: skip
    way = Way(browser, email, decision)
    way.url = f"http://here/oauth/authorize?{urlencode(query)}"
    return client_id, (await way.come_back()).code


async def tokens_of(http, client_id, code, /, **more):
    given = {
        "grant_type": "authorization_code", "client_id": client_id, "code": code,
        "redirect_uri": CALLBACK, "code_verifier": VERIFIER, **more,
    }  # fmt: skip
    return await form(http, "/oauth/token", **given)


async def renewed(http, client_id, token):
    return await form(
        http, "/oauth/token", grant_type="refresh_token", client_id=client_id, refresh_token=token
    )


@pytest.fixture
async def http(service):
    async with httpx.AsyncClient(base_url=service.url, timeout=30) as client:
        yield client


async def test_the_official_client_completes_everything(service, browser, person, org, http):
    way, kept = Way(browser(), await person("ana", owner=False)), Kept()
    url = f"{service.url}/mcp"
    auth = provider(url, way, kept)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as signed,
        Client(streamable_http_client(url, http_client=signed)) as client,
    ):
        made = await ask(client, "remember", text="Ana drinks green tea")
        assert (await ask(client, "recall", query="green tea"))["data"] == [made]
        assert (kept.tokens.expires_in, kept.tokens.scope) == (3600, "read write")
        first = kept.tokens
        bearer = {"Authorization": f"Bearer {first.access_token}"}
        # a token is a user's key: over HTTP too, and in the list
        assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 200
        keys = (await http.get("/api/v1/keys", headers=bearer)).json()["data"]
        assert [(each["kind"], each["name"]) for each in keys] == [("user", "Inspector (OAuth)")]
        refusal = await http.post("/api/v1/keys", json={"kind": "user"}, headers=bearer)
        assert refusal.json()["code"] == "step_up_required"

        auth.context.token_expiry_time = 1.0  # the client renews by itself what is over
        assert (await ask(client, "recall", query="green tea"))["data"] == [made]
    assert kept.tokens.refresh_token != first.refresh_token
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 401  # replaced

    # one that starts anew with what it kept
    kept.tokens = kept.tokens.model_copy(update={"access_token": "hf_live_over"})
    auth = provider(url, way, kept)
    await auth._initialize()
    auth.context.token_expiry_time = 1.0
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as signed,
        Client(streamable_http_client(url, http_client=signed)) as client,
    ):
        assert (await ask(client, "recall", query="green tea"))["data"] == [made]

    # revocation ends the access token as well
    now = {"Authorization": f"Bearer {kept.tokens.access_token}"}
    assert (await http.get("/api/v1/memories", headers=now)).status_code == 200
    assert (await form(http, "/oauth/revoke", token=kept.tokens.refresh_token)).status_code == 200
    assert (await http.get("/api/v1/memories", headers=now)).status_code == 401
    assert (await form(http, "/oauth/revoke", token="hfr_nothing")).status_code == 200


async def test_metadata_says_where_everything_is(http, service):
    lost = await http.post("/mcp/agents/bot", json={})
    [_, told] = lost.headers["www-authenticate"].split("resource_metadata=")
    assert lost.status_code == 401
    resource = (await http.get(told.strip('"'))).json()
    assert resource["resource"] == f"{service.url}/mcp/agents/bot"
    assert resource["authorization_servers"] == [service.url]
    server = (await http.get("/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == service.url
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert {urlsplit(server[f"{each}_endpoint"]).path for each in ("token", "registration")} == {
        "/oauth/token", "/oauth/register",
    }  # fmt: skip


async def test_a_reading_token_reads_and_changes_nothing(service, browser, person, http):
    email = await person("ana", owner=False)
    client_id, code = await allowed(browser(), email, decision="read")
    tokens = (await tokens_of(http, client_id, code)).json()
    assert tokens["scope"] == "read"
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 200
    refusal = await http.post("/api/v1/memories", json={"key": "k", "value": "v"}, headers=bearer)
    assert (refusal.status_code, refusal.json()["code"]) == (403, "MEM-001")
    async with (
        httpx2.AsyncClient(headers=bearer, timeout=30) as signed,
        Client(streamable_http_client(f"{service.url}/mcp", http_client=signed)) as client,
    ):
        assert (await ask(client, "recall", query="tea"))["data"] == []
        assert (await refused(client, "remember", text="x"))["code"] == "MEM-001"
        change = {"block_type": "core", "new_line": "x"}
        assert (await refused(client, "edit_memory", **change))["code"] == "MEM-001"


async def test_a_code_works_once_and_a_refresh_token_once_and_reuse_ends_the_family(
    browser, person, http
):
    client_id, code = await allowed(browser(), await person("ana", owner=False))
    other = register({"client_name": "Other", "redirect_uris": [CALLBACK]}).client_id
    for wrong in (
        {"code_verifier": "w" * 64}, {"redirect_uri": "http://127.0.0.1:9/other"},
        {"client_id": other}, {"code": f"{code}x"}, {"code": "hfa_x"},
    ):  # fmt: skip
        refusal = await tokens_of(http, client_id, code, **wrong)
        assert (refusal.status_code, refusal.json()["error"]) == (400, "invalid_grant"), wrong
    foreign = await tokens_of(http, client_id, code, resource="https://elsewhere.example/mcp")
    assert foreign.json()["error"] == "invalid_target"

    first = (await tokens_of(http, client_id, code)).json()
    second = (await renewed(http, client_id, first["refresh_token"])).json()
    bearer = {"Authorization": f"Bearer {second['access_token']}"}
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 200
    assert (await renewed(http, other, second["refresh_token"])).status_code == 400
    stolen = await renewed(http, client_id, first["refresh_token"])
    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 401
    assert (await renewed(http, client_id, second["refresh_token"])).status_code == 400

    client_id, code = await allowed(browser(), await person("ben", owner=False))
    mine = (await tokens_of(http, client_id, code)).json()
    assert (await tokens_of(http, client_id, code)).status_code == 400  # a code that leaked
    bearer = {"Authorization": f"Bearer {mine['access_token']}"}
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 401


async def test_of_many_who_use_a_refresh_token_at_once_one_wins_and_the_family_ends(
    browser, person, http
):
    client_id, code = await allowed(browser(), await person("ana", owner=False))
    token = (await tokens_of(http, client_id, code)).json()["refresh_token"]
    replies = await asyncio.gather(*(renewed(http, client_id, token) for _ in range(8)))
    [won] = [each.json() for each in replies if each.status_code == 200]
    bearer = {"Authorization": f"Bearer {won['access_token']}"}
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 401


async def test_a_key_that_is_revoked_by_hand_is_not_renewed(browser, person, http):
    ana = browser()
    client_id, code = await allowed(ana, await person("ana"))
    tokens = (await tokens_of(http, client_id, code)).json()
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    keys = (await http.get("/api/v1/keys", headers=bearer)).json()["data"]
    [key] = [each for each in keys if each["name"] == "Inspector (OAuth)"]
    await ana.send(f"/keys/{key['id']}/revoke")
    assert (await http.get("/api/v1/memories", headers=bearer)).status_code == 401
    assert (await renewed(http, client_id, tokens["refresh_token"])).status_code == 400


async def test_who_may_be_sent_where(browser, person, http):
    for uri in (
        "http://example.com/cb", "ftp://127.0.0.1/cb", "https://example.com/cb#x", "/cb", "javascript:alert(1)",
        "https://user@example.com/cb", "http://127.0.0.1.example.com/cb",
    ):  # fmt: skip
        reply = await http.post("/oauth/register", json={"redirect_uris": [uri]})
        assert (reply.status_code, reply.json()["error"]) == (400, "invalid_redirect_uri"), uri
    for body in ({}, [], {"redirect_uris": [CALLBACK], "client_name": "x" * 101}):
        assert (await http.post("/oauth/register", json=body)).status_code == 400
    for text in ("{", "[" * 60_000, b"\xff"):
        reply = await http.post("/oauth/register", content=text)
        assert (reply.status_code, reply.json()["error"]) == (400, "invalid_client_metadata")
    made = (
        await http.post("/oauth/register", json={"redirect_uris": ["https://example.com/cb"]})
    ).json()
    assert made["token_endpoint_auth_method"] == "none"
    with pytest.raises(OAuthError):
        Application.of(f"{made['client_id']}x")
    loopback = register({"redirect_uris": ["http://127.0.0.1/cb"]})
    assert loopback.accepts("http://127.0.0.1:4711/cb")
    assert not loopback.accepts("http://127.0.0.1:4711/other")
    assert not loopback.accepts("http://localhost:4711/cb")

    ana = browser()
    await ana.sign_in(await person("ana"))
    query = {
        "client_id": made["client_id"], "redirect_uri": "https://example.com/cb", "response_type": "code",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256", "state": "s",
    }  # fmt: skip
    assert "example.com" in await ana.open("/oauth/authorize", **query)
    for wrong in ({"redirect_uri": "https://evil.example/cb"}, {"client_id": "hfc_x"}):
        await ana.open("/oauth/authorize", status=400, **{**query, **wrong})
    for wrong, error in (
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"resource": "https://evil.example"}, "invalid_target"),
    ):
        reply = await ana.http.get("/oauth/authorize", params={**query, **wrong})
        back = dict(parse_qsl(urlsplit(reply.headers["location"]).query))
        assert (reply.status_code, back["error"], back["state"]) == (303, error, "s"), wrong
    denied = await ana.send("/oauth/authorize", decision="deny", **query)
    assert "error=access_denied" in denied.headers["location"]
    forged = await ana.http.post("/oauth/authorize", data={**query, "decision": "allow"})
    assert forged.status_code == 403  # without the token of the page


async def test_what_an_application_calls_itself_is_escaped(browser, person):
    name = "\"'><img src=x onerror=alert(1)>{{7*7}}"
    client_id = register({"client_name": name, "redirect_uris": [CALLBACK]}).client_id
    ana = browser()
    await ana.sign_in(await person("ana"))
    query = {
        "response_type": "code", "client_id": client_id, "redirect_uri": CALLBACK, "state": name,
        "scope": "read", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }  # fmt: skip
    page = await ana.open(f"/oauth/authorize?{urlencode(query)}")
    check_page(page)
    assert "<img" not in page
    assert "onerror=alert(1)&gt;{{7*7}}" in page


async def test_a_token_sees_no_more_than_its_users_key(service, browser, person, org, http):
    email = await person("ben", owner=False)
    await person("mia", owner=False)
    named = await one_of_everything(org.client(), org.client(holdfast_user="mia"))
    client_id, code = await allowed(browser(), email)
    tokens = (await tokens_of(http, client_id, code)).json()
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    async with httpx.AsyncClient(
        base_url=f"{service.url}/api/v1", headers=headers, timeout=60
    ) as ben:
        assert [each async for each in mcp_walls.breaches(named, {"token": ben})] == []
        memory = await ben.get(f"/memories/{named['memory_id']}")
        assert memory.status_code == 404


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
async def test_a_person_consents_in_a_real_browser(service, person):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    came = []

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self):
            came.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"done")

        def log_message(self, *_):
            return

    listener = HTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    back = f"http://127.0.0.1:{listener.server_port}/callback"
    client_id = register({"client_name": "Inspector", "redirect_uris": [back]}).client_id
    query = {
        "response_type": "code", "client_id": client_id, "redirect_uri": back, "state": "s",
        "scope": "read write", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }  # fmt: skip
    email = await person("ana")

    def walk():
        with chromium() as driver:
            wait = WebDriverWait(driver, 20)
            sign_in(driver, service.url, email, PASSWORD)
            wait.until(lambda _: driver.current_url == f"{service.url}/")
            driver.get(f"{service.url}/oauth/authorize?{urlencode(query)}")
            driver.find_element(By.CSS_SELECTOR, "button[value=allow]").click()
            wait.until(lambda _: "/step-up" in driver.current_url)
            driver.find_element(By.NAME, "_password").send_keys(PASSWORD, Keys.ENTER)
            wait.until(lambda _: "/oauth/authorize" in driver.current_url)
            driver.find_element(By.CSS_SELECTOR, "button[value=allow]").click()
            wait.until(lambda _: driver.current_url.startswith(back))

    try:
        await asyncio.to_thread(walk)
    finally:
        listener.shutdown()
    found = dict(parse_qsl(urlsplit(came[0]).query))
    assert found["state"] == "s"
    async with httpx.AsyncClient(base_url=service.url, timeout=30) as http:
        tokens = await tokens_of(http, client_id, found["code"], redirect_uri=back)
    assert tokens.json()["scope"] == "read write"
