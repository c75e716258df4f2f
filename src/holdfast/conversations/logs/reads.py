"""Reads as accesses of messages: gathered in this process, and written to Postgres a moment later.

A read must not wait for a commit, so it only notes which places it read. The notes of all instances are written together
after `WRITE_AFTER_S`; a flush in this process counts those that are not written yet as well.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from contextvars import Context
from datetime import datetime

import psycopg

from holdfast.conversations.logs.values import ReadRange
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.sql import load

queries = load(__file__)

WRITE_AFTER_S = 0.25
MAX_NOTES = 10_000  # what is noted beyond that, while the database is away, is dropped

_Note = tuple[str, str, int, int]  # org, instance, first and last place


class ReadNotes:
    """The reads of this process that are not written yet. One per process."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._notes: dict[_Note, datetime] = {}
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def note(self, caller: Caller, conversation_id: str, first_seq: int, last_seq: int) -> None:
        """Note that these places were read now."""
        if len(self._notes) < MAX_NOTES:
            self._notes[caller.org_id, conversation_id, first_seq, last_seq] = clock.now()
        if self._task is None or self._task.done():
            # In a context of its own: it must not join a transaction that is open in this one.
            self._task = asyncio.create_task(self._write_later(), context=Context())

    def of(self, caller: Caller, conversation_id: str) -> list[ReadRange]:
        """The reads of one instance that are not written yet."""
        return [
            ReadRange(first, last, at)
            for (org_id, id, first, last), at in self._notes.items()
            if (org_id, id) == (caller.org_id, conversation_id)
        ]

    async def close(self) -> None:
        """Write what is left."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._write()

    async def _write_later(self) -> None:
        await asyncio.sleep(WRITE_AFTER_S)
        await self._write()

    async def _write(self) -> None:
        """Write all notes; those of an org whose write fails are lost, which makes lru a little less exact."""
        async with self._writing:
            by_org: dict[str, dict[_Note, datetime]] = {}
            for note, at in self._notes.items():
                by_org.setdefault(note[0], {})[note] = at
            for org_id, notes in by_org.items():
                with suppress(BackendUnavailable, psycopg.Error):
                    await self._write_org(org_id, notes)
                for note, at in notes.items():
                    if self._notes.get(note) == at:
                        del self._notes[note]

    async def _write_org(self, org_id: str, notes: Mapping[_Note, datetime]) -> None:
        caller = Caller(org_id, "job", "conversation_reads", workspace_id="default")
        async with self._db.begin(caller) as tx:
            await tx.run(
                queries.note_reads,
                ids=[note[1] for note in notes],
                firsts=[note[2] for note in notes],
                lasts=[note[3] for note in notes],
                read_ats=list(notes.values()),
            )
