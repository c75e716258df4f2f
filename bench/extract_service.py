"""The same measure as bench/extract.py through a running service: `python -m bench.extract --service [SPACE …]`.

Starts `holdfast serve` on a new database, appends and settles every session over HTTP, settles four times more, and reads proposals and
hygiene. Without names of spaces all 44 are replayed, which takes several minutes.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.harness import bench_service
from bench.memchat import Applied, Figures, Space, Turn, read_spaces, run
from holdfast_client import Client
from holdfast_client.learning.model import Proposal

WAIT_S = 120.0
PAGE = 100


@dataclass
class ThroughService:
    """One user of the service, whose conversation is one session."""

    client: Client
    session: str
    applied: list[Applied] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)

    def settle(self, turns: list[Turn]) -> None:
        """Append a session of the set and have a job learn from it."""
        for start in range(0, len(turns), PAGE):
            messages = [_message(each) for each in turns[start : start + PAGE]]
            self.client.sessions.append(messages, session_id=self.session)
        self._settled()
        self._read()

    def settle_again(self) -> int:
        """Settle four times more; returns how many rows that added."""
        before = self._rows()
        for _ in range(4):
            self._settled()
        return self._rows() - before

    def current(self) -> set[str]:
        """Rows that no later proposal ended."""
        return {each.row for each in self.applied} - self.ended

    def hygiene(self) -> dict[str, int]:
        """What `GET /hygiene` says, over all kinds of rows."""
        state = self.client.learning.hygiene()
        kinds = (state.memory, state.entry, state.block, state.node_item)
        return {
            "rows held": sum(each.rows for each in kinds),
            "duplicates": sum(each.duplicates.count for each in kinds),
            "contradictions": sum(each.contradictions for each in kinds),
            "rows without a source": sum(each.without_source for each in kinds),
        }

    def _settled(self) -> None:
        answer = self.client.sessions.settle(self.session)
        if answer.job_id is None:
            return
        job = self.client.jobs.wait(answer.job_id, timeout_s=WAIT_S)
        if job.status != "succeeded":
            raise RuntimeError(f"settling {self.session} ended as {job.status}: {job.error}")

    def _rows(self) -> int:
        return self.hygiene()["rows held"]

    def _read(self) -> None:
        found: list[Proposal] = []
        after = None
        while True:
            page = self.client.proposals.list(status="applied", limit=PAGE, after_id=after)
            found += page.data
            if not page.has_more:
                break
            after = page.last_id
        found.reverse()
        learned = [each for each in found if each.action != "retire"]
        self.applied = [_applied(each) for each in learned]
        self.ended = {_ended(each) for each in found if each.supersedes is not None}


def _message(turn: Turn) -> dict[str, object]:
    named = {} if turn.name is None else {"name": turn.name}
    return {
        "id": turn.id,
        "role": turn.role,
        "content": turn.content,
        "created_at": turn.created_at.isoformat(),
        **named,
    }


def _applied(proposal: Proposal) -> Applied:
    turns = frozenset(each.ref for each in proposal.sources if each.kind == "message")
    row = proposal.result.id if proposal.result else proposal.id
    if proposal.target == "block":  # a line of a block is known by its words
        row = f"{row} {proposal.content}"
    return Applied(proposal.action, turns, row, proposal.target, proposal.content)


def _ended(proposal: Proposal) -> str:
    is_row = str(proposal.supersedes).startswith(("memory_", "ent_"))
    return str(proposal.supersedes) if is_row else f"{proposal.supersedes} {proposal.before}"


async def measure(names: Sequence[str]) -> Figures:
    """Replay these spaces, or all, through a service of their own."""
    spaces = [each for each in read_spaces() if not names or each.name in names]
    async with bench_service() as bench:
        client = Client(bench.url, key=bench.key)

        def make(space: Space, user: str) -> ThroughService:
            name = f"{space.name}-{space.users.index(user)}"
            return ThroughService(client.scope(user=name), name)

        with client:
            return await asyncio.to_thread(run, spaces, make)
