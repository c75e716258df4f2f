"""mem0 on pgvector with `infer=False`: a message is stored unchanged, and no language model is called.

mem0's search reads no field with the speaker, so the name is put before the text, as in mem0's own evaluation on LoCoMo.
Everything else has its default.
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

# mem0 creates clients for its language model and embedder even if they are not used. Nothing listens on this port: if either
# were called, the run would fail instead of sending data out.
UNUSED = {
    "provider": "openai",
    "config": {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"},
}


class Embedding(EmbeddingBase):
    """The service's embedder. It replaces a provider of mem0, which has no option for a custom one."""

    def __init__(self, embed: Embed) -> None:
        super().__init__()
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        """The vector of a text."""
        [vector] = self._embed([text])
        return vector


class Memories:
    """A mem0 memory with the id of the unit in the metadata of each item."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(self, space: str, unit: dict[str, Any]) -> None:
        """Store one message unchanged."""
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
    """Open the memory, with its history in a temporary folder."""
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
