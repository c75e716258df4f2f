"""Time of a whole context (full blocks, archival lines for the message, 1,000 entries, 1,000 messages; 10,000 memories in
the org) compared with each of its parts alone."""

import psycopg

from bench.harness import Bench, compare, console
from holdfast.blocks import recall
from holdfast.blocks import service as blocks
from holdfast.blocks.model import MAX_CHARS, MAX_CORE_ENTRIES
from holdfast.context import service
from holdfast.context.model import ConversationName, MemoryPolicy
from holdfast.conversations import service as conversations
from holdfast.conversations.backends import Backends
from holdfast.conversations.instances import InstanceRequest
from holdfast.entries import service as entries
from holdfast.entries.model import MAX_ENTRIES
from holdfast.kernel.caller import Caller, operator

MESSAGE = "Which tea did I order from the shop in Lisbon?"
MEMORIES = 10_000
TALK = ConversationName("sessions", "bench")
TARGET = 3.0


async def run(bench: Bench) -> None:
    """Print the comparison."""
    caller = operator(bench.org_id)
    await _fill_blocks(bench)
    _fill_rows(bench)
    backends = Backends(bench.db)
    auto = MemoryPolicy(archival_mode="auto")
    await _talk(backends, caller)

    def ask(**more: object) -> service.Ask:
        return service.Ask(message=MESSAGE, agent_id="bot", conversation=TALK, **more)  # type: ignore[arg-type]

    parts = {
        "core blocks": lambda _: blocks.read_core(bench.db, caller, "bot"),
        "archival lines": lambda n: recall.find_lines(
            bench.db, caller, f"{MESSAGE} {n}", agent_id="bot", limit=10, min_score=None
        ),
        "1,000 messages": lambda _: conversations.read(
            backends,
            caller,
            InstanceRequest(TALK.resource_id, TALK.key),
            limit=1_000,
            offset=0,
            tail=1_000,
            include_flushed=False,
        ),
        "1,000 entries": lambda _: entries.hydrate(bench.db, caller, "bot"),
    }
    body = {
        "message": MESSAGE,
        "agent_id": "bot",
        "memory_policy": {"archival_mode": "auto"},
        "conversation": {"resource_id": TALK.resource_id, "key": TALK.key},
    }
    medians = await compare(
        "a context and its parts",
        {
            **parts,
            "context": lambda _: service.assemble(backends, caller, ask(policy=auto)),
            "context in 4,000 tokens": lambda _: service.assemble(
                backends, caller, ask(policy=auto, max_tokens=4_000)
            ),
            "context, tool_only": lambda _: service.assemble(backends, caller, ask()),
            "HTTP, 1,000 entries": lambda _: bench.http.get("/agents/bot/hydration"),
            "HTTP, 1,000 messages": lambda _: bench.http.get(
                f"/conversations/{TALK.resource_id}/read?key={TALK.key}&tail=1000"
            ),
            "HTTP": lambda _: bench.http.post("/context", json=body),
            "HTTP in 4,000 tokens": lambda _: bench.http.post(
                "/context", json={**body, "max_tokens": 4_000}
            ),
            "HTTP, user memory alone": lambda _: bench.http.get(
                "/context/user-memory?agent_id=bot"
            ),
        },
        against="1,000 entries",
        rounds=10,
        per_round=10,
    )
    slowest = max(parts, key=medians.__getitem__)
    ratio = medians["context"] / medians[slowest]
    over_http = medians["HTTP"] / max(
        medians["HTTP, 1,000 entries"], medians["HTTP, 1,000 messages"]
    )
    console.print(
        f"context: {ratio:.2f}× its slowest part ({slowest}), over HTTP {over_http:.2f}×; "
        f"target: at most {TARGET:.0f}×"
    )


async def _fill_blocks(bench: Bench) -> None:
    """Fill every block up to its limit."""
    caller = operator(bench.org_id)
    for agent_id in (None, "bot"):
        where = blocks.place_of(caller, None, agent_id)
        core = "\n".join(["x" * (MAX_CHARS["core"] // MAX_CORE_ENTRIES - 1)] * MAX_CORE_ENTRIES)
        await blocks.write_block(bench.db, caller, where, "core", core, expected_updated_at=None)
        lines = (
            f"In week {n} ordered tea number {n} from the shop in street {n}, and read about {n * 7}."
            for n in range(1_000)
        )
        archive = "\n".join(lines)[: MAX_CHARS["archival"]]
        await blocks.write_block(
            bench.db, caller, where, "archival", archive, expected_updated_at=None
        )


async def _talk(backends: Backends, caller: Caller) -> None:
    """A long conversation, just below the token count at which it would be flushed."""
    ask = InstanceRequest(TALK.resource_id, TALK.key)
    for start in range(0, 1_000, 100):
        messages = [
            {"role": ("user", "assistant")[n % 2], "content": f"message {n}: " + "some words " * 12}
            for n in range(start, start + 100)
        ]
        await conversations.append(backends, caller, ask, messages)


def _fill_rows(bench: Bench) -> None:
    """Insert entries and memories by SQL."""
    with psycopg.connect(bench.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        owner.execute(
            "INSERT INTO entry_quotas (org_id, audience, used) VALUES (%s, 'agent:bot', %s)",
            [bench.org_id, MAX_ENTRIES],
        )
        owner.execute(
            "INSERT INTO entries (org_id, id, key, category, content, tags, size, agent_id,"
            "                     workspace_id, version, created_at, updated_at)"
            " SELECT %s, 'ent_' || md5('bot/' || n), 'k' || n,"
            "        CASE WHEN n %% 4 = 0 THEN 'core' ELSE 'note' END,"
            "        repeat('some words ', 18), '{}', 210, 'bot', 'default', 1, at, at"
            "   FROM generate_series(1, %s) n, LATERAL (SELECT now() - n * interval '1 min') t(at)",
            [bench.org_id, MAX_ENTRIES],
        )
        owner.execute(
            "INSERT INTO memories (org_id, id, key, value, category, tags, importance, pinned, source, scope, user_id,"
            "                      workspace_id, trust, created_at, updated_at)"
            " SELECT %s, 'memory_' || md5('m' || n), 'key ' || n, 'value ' || n, 'fact', '{}', 5, false, 'manual',"
            "        'global', 'owner', 'default', 'user', now(), now()"
            "   FROM generate_series(1, %s) n",
            [bench.org_id, MEMORIES],
        )
        owner.execute("ANALYZE")
