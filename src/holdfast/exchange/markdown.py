"""An export for people: memories, blocks, entries, insights and stores as markdown."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any


class Pages:
    """Collects what people read, and writes it as pages."""

    def __init__(self) -> None:
        self._pages: dict[str, list[str]] = defaultdict(list)
        self._stores: dict[str, str] = {}

    def add(self, table: str, row: dict[str, Any]) -> None:
        """A row of the export; most tables are not for people."""
        match table:
            case "memories":
                about = ", ".join(
                    [row["category"], *row["tags"], f"changed {row['updated_at'][:10]}"]
                )
                self._pages["memories"].append(f"## {row['key']}\n\n{row['value']}\n\n_{about}_\n")
            case "blocks":
                of = row["user_id"] + (f" with {row['agent_id']}" if row["agent_id"] else "")
                self._pages["blocks"].append(f"## {row['block_type']}: {of}\n\n{row['content']}\n")
            case "entries":
                self._pages["entries"].append(
                    f"## {row['agent_id']}: {row['key']}\n\n{row['content']}\n"
                )
            case "insights":
                self._pages["insights"].append(f"- {row['insight']} ({row['category']})")
            case "conversation_summaries":
                self._pages["summaries"].append(f"{row['content']}\n\n---\n")
            case "memory_stores":
                self._stores[row["id"]] = row["name"]
            case "store_entries":
                store = self._stores.get(row["store_id"], row["store_id"])
                self._pages["stores"].append(f"## {store}: {row['path']}\n\n{row['content']}\n")

    def files(self) -> Iterator[tuple[str, str]]:
        """The pages, by their names in the zip."""
        for name, parts in sorted(self._pages.items()):
            yield f"markdown/{name}.md", f"# {name.capitalize()}\n\n" + "\n".join(parts)
