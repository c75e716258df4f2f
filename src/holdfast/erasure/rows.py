"""The rows of a person, deleted in one transaction; what others keep of them, renamed."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from holdfast.blocks.archive import scope_of as scope_of_block
from holdfast.erasure.rules import ERASED, SHARED_KINDS
from holdfast.kernel import idempotency
from holdfast.kernel.db import Tx
from holdfast.kernel.ids import is_made_id
from holdfast.kernel.recall import passages
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import Query, load
from holdfast.memories.deletion import erase_rows

queries = load(__file__)
renaming = load(__file__, "renaming.sql")

# Indexed objects that may lie in a scope which others share, by table.
_INDEXED = {"node_items": "node_item", "store_entries": "store_entry", "shared_entries": "entry"}


@dataclass(slots=True)
class Erased:
    """What went: ids by table, the ids of assets whose bytes are to follow, and rows that were renamed."""

    by_table: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    assets: list[str] = field(default_factory=list)
    renamed: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, Any]:
        """How many rows of each table went, and how many stay under the pseudonym."""
        erased = {name: len(ids) for name, ids in sorted(self.by_table.items()) if ids}
        return {"erased": erased, "renamed": {k: n for k, n in sorted(self.renamed.items()) if n}}


class Eraser:
    """One erasure in its transaction."""

    def __init__(
        self, tx: Tx, user_id: str, pseudonym: str, *, everything: bool, message_ids: list[str]
    ) -> None:
        """`message_ids` are those of messages that were erased outside of the database."""
        self._tx = tx
        self._erased = Erased()
        self._outside = message_ids
        self._params: dict[str, Any] = {
            "user_id": user_id,
            "of_user": Audience(user_id=user_id).text,
            "pseudonym": pseudonym,
            "everything": everything,
            "keys": [],
            "this_job": _this_job(tx),
        }

    async def run(self) -> Erased:
        """Delete, then rename."""
        scopes = await self._scopes()
        self._params["nodes"] = await self._ids(queries.find_nodes)
        self._params["stores"] = await self._ids(queries.find_stores)
        for table, rule in ERASED.items():
            if not rule.late:
                await self._erase_table(table)
        await self._erase_memories()
        self._params["gone"] = self._made_ids()
        for table, rule in ERASED.items():
            if rule.late:
                await self._erase_table(table)
        if self._params["everything"]:
            await self._erase_shared()
        for scope in scopes:
            await passages.drop_scope(self._tx, scope)
        for table, kind in _INDEXED.items():
            await passages.drop(self._tx, kind, self._erased.by_table[table])  # type: ignore[arg-type]
        await self._erase_history()
        await self._rename()
        await idempotency.forget_mentions(self._tx, self._made_ids())
        return self._erased

    def _made_ids(self) -> list[str]:
        """The ids of what is gone, as far as the service made them."""
        gone = [*self._erased.assets, *(i for ids in self._erased.by_table.values() for i in ids)]
        return [each for each in gone if is_made_id(each)]

    async def _ids(self, query: Query, **params: Any) -> list[str]:
        return await self._tx.all(str, query, **{**self._params, **params})

    async def _scopes(self) -> list[str]:
        """The scopes of the index that are the person's alone."""
        user_id, of_user = self._params["user_id"], self._params["of_user"]
        agents = await self._ids(queries.agents_of_person)
        return [
            f"memory/{of_user}",
            f"conversation/{of_user}",
            f"entry/{of_user}",
            scope_of_block(user_id),
            *(scope_of_block(user_id, agent_id) for agent_id in agents),
            *(f"entry/agent:{agent_id}+{of_user}" for agent_id in agents),
        ]

    async def _erase_table(self, table: str) -> None:
        gone = await self._ids(getattr(queries, f"erase_{table}"))
        self._erased.by_table[table] += gone
        if table == "api_keys":
            self._params["keys"] = gone

    async def _erase_memories(self) -> None:
        """The person's, then those derived from what is gone alone, until there are none."""
        gone = self._erased.by_table
        self._params |= {
            "sessions": gone["sessions"],
            "entries": gone["entries"],
            "messages": sorted(
                {
                    *self._outside,
                    *gone["conversation_messages"],
                    *gone["conversation_flushed"],
                    *gone["conversation_flushed_ids"],
                }
            ),
        }
        found = await self._ids(queries.find_memories)
        derived = await self._ids(queries.find_derived, memories=found)
        gone["memories"] = found + derived
        if gone["memories"]:
            self._erased.assets = await erase_rows(self._tx, gone["memories"])
        await self._ids(queries.cut_sources, memories=gone["memories"])

    async def _erase_shared(self) -> None:
        gone = self._erased.by_table
        gone["shared_entries"] = await self._ids(queries.erase_shared_entries)
        gone["shared_messages"] = await self._ids(queries.erase_shared_messages)
        await self._tx.run(queries.count_shared_conversations)

    async def _erase_history(self) -> None:
        """Revisions of what is gone, and those of what was the person's and went earlier."""
        pairs = [
            (rule.kind, each)
            for table, rule in ERASED.items()
            if rule.kind is not None
            for each in self._erased.by_table[table]
        ]
        pairs += [("memory", each) for each in self._erased.by_table["memories"]]
        pairs += [("entry", each) for each in self._erased.by_table["shared_entries"]]
        gone = await self._ids(
            queries.erase_revisions,
            kinds=[kind for kind, _ in pairs],
            ids=[each for _, each in pairs],
        )
        gone += await self._ids(queries.erase_personal_revisions, shared_kinds=list(SHARED_KINDS))
        if self._params["everything"]:
            self._erased.renamed["revisions redacted"] = len(
                await self._ids(queries.redact_written)
            )
        self._erased.by_table["revisions"] = gone
        await self._ids(renaming.cut_history)

    async def _rename(self) -> None:
        for table in ("memories", "nodes", "memory_stores", "revisions"):
            self._erased.renamed[table] = len(await self._ids(getattr(renaming, f"rename_{table}")))


def _this_job(tx: Tx) -> str:
    caller = tx.caller
    return caller.credential_id if caller is not None and caller.credential == "job" else ""
