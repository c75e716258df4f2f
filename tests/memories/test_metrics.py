"""Changes of memories and nodes are counted."""

from tests.memories.calls import save
from tests.memories.graph.calls import make

NAMES = (
    'holdfast_memories_written_total{action="created"}',
    'holdfast_memories_written_total{action="retired"}',
    'holdfast_memories_written_total{action="restored"}',
    'holdfast_memories_written_total{action="deleted"}',
    'holdfast_nodes_written_total{action="created"}',
    'holdfast_nodes_written_total{action="deleted"}',
)


async def test_what_happens_is_counted_once_it_is_committed(api, anonymous, sign_in):
    async def counts():
        lines = (await anonymous.get("/metrics")).text.splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines if line.startswith(NAMES))
        return [float(found.get(name, 0)) for name in NAMES]

    before = await counts()
    path = f"/memories/{(await save(api))['id']}"
    assert (await api.post(f"{path}/retire")).status_code == 200
    assert (await api.post(f"{path}/restore", json={"version": 1})).status_code == 200
    assert (await (await sign_in("owner")).delete(path)).status_code == 204
    node = await make(api, "Ana")
    assert (await api.delete(f"/memory-nodes/{node['id']}")).status_code == 204
    # Other tests use the same service at the same time, so a count may grow by more than one.
    assert all(now > then for now, then in zip(await counts(), before, strict=True))
