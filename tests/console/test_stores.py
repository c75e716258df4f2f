"""Stores on pages: versions compared and restored, the store itself changed, archived and deleted."""

import re


async def test_any_two_versions_are_compared_and_an_old_one_is_restored(ana, ben, org):
    store = (await ana.send("/stores", name="Handbook", visibility="private")).headers["location"]
    store = store.split("?")[0]
    entry = (await ana.send(f"{store}/entries", path="a/b.md", content="one")).headers["location"]
    entry = entry.split("?")[0]
    for number, text in enumerate(("two", "three"), 1):
        await ana.send(entry, content=text, path="a/b.md", version=str(number))
    page = await ana.open(entry)
    third, _, first = dict.fromkeys(re.findall(r'value="(memver_[0-9a-f]+)"', page))
    led = await ana.http.get(f"{store}/compare", params={"version": third, "with": first})
    assert led.status_code == 303
    compared = await ana.open(led.headers["location"])
    assert "removed: </span>one" in compared
    assert "added: </span>three" in compared
    assert "two" not in compared.split("<table")[1].split("</table>")[0]
    assert (await ben.http.get(led.headers["location"])).status_code == 404
    assert (await ben.http.get(f"{store}/compare?version={third}&with={first}")).status_code == 404
    await ana.open(f"{store}/compare", 400)
    await ben.send(f"{entry}/restore", status=404, version_id=first)
    await ana.send(f"{entry}/restore", version_id=first)
    assert "one</textarea>" in await ana.open(entry)
    assert "version 4" in await ana.open(f"{store}?path=a/")
    everything = await ana.open(f"{store}/versions")
    assert everything.count("/versions/memver_") >= 4


async def test_a_store_is_changed_by_who_made_it_at_a_version(ana, ben, org):
    made = await ben.send("/stores", name="Handbook", description="How we work")
    path = made.headers["location"].split("?")[0]
    change = {"name": "Manual", "description": "New", "visibility": "org", "read_only": "1"}
    await ben.send(path, **change, version="1")
    page = await ben.open(path)
    assert "<h1>Manual</h1>" in page
    assert "read-only" in page
    await ben.send(path, status=412, **change, version="1")
    cleo = org.client(Holdfast_User="cleo")
    other = (await cleo.post("/memory_stores", json={"name": "Theirs"})).json()["id"]
    page = await ben.open(f"/stores/{other}")
    assert f'action="/stores/{other}"' not in page
    assert "/archive" not in page
    await ben.send(f"/stores/{other}", status=403, **change, version="1")
    assert f'action="/stores/{other}"' in await ana.open(f"/stores/{other}")  # an owner


async def test_a_store_is_archived_and_deleted(ana, org):
    store = (await ana.send("/stores", name="Old")).headers["location"].split("?")[0]
    await ana.send(f"{store}/archive")
    refused = await ana.send(f"{store}/entries", status=409, path="a.md", content="x")
    assert "archived" in refused.text
    assert "Old" not in (await ana.open("/stores")).split("<main")[1]
    assert "Old" in (await ana.open("/stores?archived=1")).split("<main")[1]
    await ana.send(f"{store}/delete")
    await ana.open(store, 404)
