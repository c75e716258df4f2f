"""mem0's own client, sync and async, against `/mem0`: every operation that it has for memories."""

import asyncio
import os

import pytest
from mem0 import AsyncMemoryClient, MemoryClient

HOST, KEY = f"{os.environ['HOLDFAST_URL']}/mem0", os.environ["HOLDFAST_API_KEY"]
MINE = {"user_id": "ana"}

client = MemoryClient(api_key=KEY, host=HOST)
said = [
    {"role": "user", "content": "I take my tea green"},
    {"role": "assistant", "content": "Noted."},
]
client.add(said, user_id="ana", metadata={"shift": "late"})
client.add("I never eat nuts", user_id="ana")
client.add("I take my tea black", user_id="bob")
client.add("The bot answers briefly", agent_id="bot", infer=False)

[hit, *_] = client.search("which tea do I drink?", filters=MINE, top_k=3)["results"]
assert (hit["memory"], hit["user_id"]) == ("I take my tea green", "ana")
assert 0 < hit["score"] <= 1
read = client.get(hit["id"])
assert (read["memory"], read["metadata"]) == ("I take my tea green", {"shift": "late"})
everything = client.get_all(filters=MINE, page=1, page_size=1)
assert (everything["count"], len(everything["results"])) == (2, 1)
assert client.get_all(filters={"agent_id": "bot"})["count"] == 1
assert client.search("tea", filters={"user_id": "nobody"})["results"] == []

client.update(hit["id"], text="I take my tea white", metadata={"shift": "early"})
assert client.get(hit["id"])["memory"] == "I take my tea white"
assert [each["event"] for each in client.history(hit["id"])] == ["ADD", "UPDATE"]
client.delete(hit["id"])
assert client.get_all(filters=MINE)["count"] == 1
assert [each["event"] for each in client.history(hit["id"])] == ["ADD", "UPDATE", "DELETE"]
with pytest.raises(Exception, match=r"(?i)not.found|no memory|404"):
    client.get(hit["id"])
client.delete_all(user_id="ana")
assert client.get_all(filters=MINE)["results"] == []
assert client.get_all(filters={"user_id": "bob"})["count"] == 1
with pytest.raises(Exception, match=r"(?i)key|auth|ping"):
    MemoryClient(api_key="hf_test_wrong", host=HOST)


async def main() -> None:
    """The async client does the same."""
    async with AsyncMemoryClient(api_key=KEY, host=HOST) as awaited:
        await awaited.add("I grow mint", user_id="eve")
        [found] = (await awaited.search("mint", filters={"user_id": "eve"}))["results"]
        assert (await awaited.get(found["id"]))["memory"] == "I grow mint"
        await awaited.update(found["id"], text="I grow sage")
        assert (await awaited.get_all(filters={"user_id": "eve"}))["count"] == 1
        assert len(await awaited.history(found["id"])) == 2
        await awaited.delete(found["id"])
        assert (await awaited.get_all(filters={"user_id": "eve"}))["count"] == 0


asyncio.run(main())
print("ok")
