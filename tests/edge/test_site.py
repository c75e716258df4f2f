"""What stands outside the API."""

import asyncio
from urllib.parse import urlsplit


async def test_health_readiness_and_metrics_need_no_credential(anonymous):
    assert (await anonymous.get("/healthz")).text == "ok\n"
    ready = await anonymous.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["checks"]["database"] == "ok"
    metrics = await anonymous.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert "holdfast_http_request_seconds" in metrics.text


async def test_metrics_tell_of_jobs_that_wait(anonymous):
    """The queue is asked at each scrape."""
    lines = (await anonymous.get("/metrics")).text.splitlines()
    for name in ("holdfast_jobs_waiting", "holdfast_oldest_waiting_job_seconds"):
        [value] = [float(line.split()[1]) for line in lines if line.startswith(f"{name} ")]
        assert value >= 0  # NaN is not


async def test_metrics_name_no_tenant(anonymous, org, api):
    await api.put("/agents/a-telling-name", json={})
    text = (await anonymous.get("/metrics")).text
    assert org.id not in text
    assert "a-telling-name" not in text


async def test_the_docs_load_nothing_from_elsewhere(anonymous):
    page = await anonymous.get("/docs")
    assert page.status_code == 200
    assert "http" not in page.text.replace("https://holdfast", "")
    for asset in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js"):
        assert f"/docs/{asset}" in page.text
        assert (await anonymous.get(f"/docs/{asset}")).status_code == 200
    assert (await anonymous.get("/docs/..%2Fapp.py")).status_code == 404
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src" not in policy  # which would allow more than that


async def test_the_home_page_says_what_runs_here(anonymous):
    page = await anonymous.get("/", follow_redirects=True)
    assert page.url.path == "/sign-in"
    assert "Holdfast" in page.text
    assert 'href="/docs"' in page.text


async def test_every_answer_keeps_a_browser_safe(anonymous, api):
    for reply in (await anonymous.get("/"), await api.get("/org"), await anonymous.get("/nowhere")):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert "access-control-allow-origin" not in reply.headers


async def test_no_other_origin_is_let_in(anonymous):
    reply = await anonymous.options(
        "/api/v1/org",
        headers={"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"},
    )
    assert "access-control-allow-origin" not in reply.headers


async def test_an_idle_connection_is_kept_longer_than_a_client_keeps_it(service):
    """A client such as httpx drops it after 5 s. If the server did so first, the request that is being sent then would fail."""
    parts = urlsplit(service.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    asked = f"GET /healthz HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    try:
        for pause_s in (6, 0):
            writer.write(asked)
            assert b" 200 " in await reader.readline()
            await reader.readuntil(b"ok\n")
            await asyncio.sleep(pause_s)
    finally:
        writer.close()
