"""Every route of mem0's surface, as the router itself lists them: nothing crosses orgs or users.

The walks of tests/contract/test_walls.py send each of them too, but name no user. Here the strangers name the owner. A new
route needs its line here.
"""

import httpx

from holdfast.mem0_api.routes import router
from holdfast.walls.specimens import ASKED, CANARY, SAID

MINE = {"user_id": "mia"}
# What a stranger sends: the body or the query, and whether the path names what must not be found.
ASKS = {
    ("GET", "/v1/ping/"): {},
    ("POST", "/v3/memories/add/"): {
        "json": {"messages": [{"role": "user", "content": "new"}], **MINE}
    },
    ("POST", "/v3/memories/search/"): {"json": {"query": ASKED, "filters": MINE, "top_k": 50}},
    ("POST", "/v3/memories/"): {"json": {"filters": MINE}},
    ("GET", "/v1/memories/{memory_id}/"): {},
    ("PUT", "/v1/memories/{memory_id}/"): {"json": {"text": "changed"}},
    ("DELETE", "/v1/memories/{memory_id}/"): {},
    ("DELETE", "/v1/memories/"): {"params": MINE},
    ("GET", "/v1/memories/{memory_id}/history/"): {},
}
REFUSED = {403, 404}


def surface(org, key: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Token {key}"}
    return httpx.AsyncClient(base_url=f"{org.url}/mem0", headers=headers, timeout=30)


def test_every_route_is_asked() -> None:
    routes = {(method, route.path) for route in router.routes for method in route.methods}
    assert routes == ASKS.keys()


async def test_nothing_crosses(org, make_org) -> None:
    other = await make_org()
    said = {"messages": [{"role": "user", "content": SAID}], "metadata": {"of": CANARY}, **MINE}
    async with surface(org, org.key) as owner:
        [made] = (await owner.post("/v3/memories/add/", json=said)).json()["results"]
        whole, bare = made["id"], made["id"].partition("@")[0]
        strangers = {
            "another user": surface(org, await org.mint("user", user_id="tom")),
            "another org": surface(other, other.key),
        }
        for who, client in strangers.items():
            async with client:
                for (method, template), sent in ASKS.items():
                    for memory_id in (whole, bare) if "{" in template else ("",):
                        path = template.replace("{memory_id}", memory_id)
                        reply = await client.request(method, path, **sent)
                        where = f"{who}: {method} {path}: {reply.status_code} {reply.text[:300]}"
                        assert CANARY not in reply.text, where
                        assert reply.status_code < 500, where
                        if "{" in template:
                            assert reply.status_code in REFUSED, where
        # None of it changed, deleted or added anything of hers.
        kept = (await owner.post("/v3/memories/", json={"filters": MINE})).json()["results"]
        assert [(each["id"], each["memory"]) for each in kept] == [(whole, SAID)]
