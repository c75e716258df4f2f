"""mem0 on pgvector with `infer=False`: a message is stored as it is, and no model is asked.

mem0 has no field for who speaks that its search would read, so the name stands before the text, which is how mem0's own
evaluation on LoCoMo stores it. Everything else is at its defaults.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

from bench.peers.contract import DIMENSIONS, Embed

PACKAGE = "mem0ai"

# mem0 makes a client for its language model and its embedder before anyone needs one. Nobody listens on this port: were
# either ever called, the run would fail and not leave the machine.
UNUSED = {
    "provider": "openai",
    "config": {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"},
}


class Embedding(EmbeddingBase):
    """The service's embedder; mem0's list of providers has no place for one's own."""

    def __init__(self, embed: Embed) -> None:
        super().__init__()
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        """The vector of a text."""
        [vector] = self._embed([text])
        return vector


class Memories:
    """A memory whose metadata name the unit."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(self, space: str, unit: dict[str, Any]) -> None:
        """One message, stored as it is."""
        speaker = unit["speaker"]
        message = {
            "role": "assistant" if speaker == "assistant" else "user",
            "name": speaker,
            "content": f"{speaker}: {unit['text']}",
        }
        metadata = {"unit": unit["id"], "session": unit["session"], "date": unit["date"]}
        self._memory.add([message], user_id=space, metadata=metadata, infer=False)

    def search(self, space: str, question: str, limit: int) -> list[str]:
        """mem0's search among the memories of one user."""
        reply = self._memory.search(question, filters={"user_id": space}, top_k=limit)
        return [result["metadata"]["unit"] for result in reply["results"]]


@contextmanager
def opened(database: str, embed: Embed) -> Iterator[Memories]:
    """The memory, with its history in a folder that goes away."""
    store = {"connection_string": database, "embedding_model_dims": DIMENSIONS}
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "history_db_path": str(Path(folder) / "history.db"),
                "llm": UNUSED,
                "embedder": UNUSED,
            }
        )
        memory.embedding_model = Embedding(embed)
        with memory:
            yield Memories(memory)
        memory.vector_store.connection_pool.close()
