"""The same in a form that other memory servers read: the JSON lines of the MCP reference memory server (entities with
observations, relations), and a report of what that form cannot hold."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

# What the form has no place for.
_NO_PLACE = (
    "versions and history",
    "times, actors, sessions and sources",
    "who sees what: users, projects, workspaces, agents",
    "tags, importance, pins, expiry, validity and trust of memories",
    "weights and validity of edges",
    "ids",
)
_HELD = ("memories", "nodes", "node_items", "node_edges")


class Graph:
    """Collects entities and relations."""

    def __init__(self) -> None:
        self._entities: dict[str, dict[str, Any]] = {}
        self._items: list[tuple[str, str]] = []
        self._edges: list[tuple[str, str, str]] = []

    def add(self, table: str, row: dict[str, Any]) -> None:
        """A row of the export; most tables have no place here."""
        if table == "memories":
            self._add_entity(row["id"], row["key"], row["category"], [row["value"]])
        elif table == "nodes" and row["merged_into"] is None:
            self._add_entity(
                row["id"], row["name"], row["kind"], [row["summary"]] if row["summary"] else []
            )
        elif table == "node_items":
            self._items.append((row["node_id"], row["content"]))
        elif table == "node_edges":
            self._edges.append((row["from_id"], row["relation"], row["to_id"]))

    def _add_entity(self, id: str, name: str, kind: str, observations: list[str]) -> None:
        self._entities[id] = {
            "type": "entity",
            "name": name,
            "entityType": kind,
            "observations": observations,
        }

    def files(self, lines: dict[str, int]) -> Iterator[tuple[str, str]]:
        """The graph, and the report; `lines` are those of the export's files."""
        for node_id, content in self._items:
            if node_id in self._entities:
                self._entities[node_id]["observations"].append(content)
        relations = [
            {
                "type": "relation",
                "from": self._entities[from_id]["name"],
                "to": self._entities[to_id]["name"],
                "relationType": relation,
            }
            for from_id, relation, to_id in self._edges
            if from_id in self._entities and to_id in self._entities
        ]
        every = [*self._entities.values(), *relations]
        yield "interchange/memory.jsonl", "".join(f"{json.dumps(each)}\n" for each in every)
        yield "interchange/report.json", json.dumps(self._report(lines), indent=2)

    def _report(self, lines: dict[str, int]) -> dict[str, Any]:
        left = {
            name.removeprefix("data/").removesuffix(".jsonl"): count
            for name, count in lines.items()
            if count
        }
        names = Counter(each["name"] for each in self._entities.values())
        return {
            "form": "entities and relations of the MCP reference memory server (memory.jsonl)",
            "held": {name: left.pop(name) for name in _HELD if name in left},
            "not_held": left,
            "no_place_for": list(_NO_PLACE),
            "names_used_twice": sorted(name for name, times in names.items() if times > 1),
        }
