"""When an org changes its language, everything it has is put into the words of the new one, by a job.

Until the job has come to a passage, it is found by meaning, and by those of its words that both languages spell alike.
"""

from collections.abc import Mapping

from holdfast.kernel import jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.recall.model import Document
from holdfast.kernel.recall.passages import in_words, queries
from holdfast.kernel.recall.vectors import BATCH, DocumentReader, Indexed

JOB = "reword"


async def reword(tx: Tx) -> None:
    """Leave it to a job, in the transaction that changes the language."""
    await jobs.enqueue(tx, JOB, "passages")


def handler(db: Database, readers: Mapping[str, DocumentReader]) -> Handler:
    """The job. It keeps no place: rewording twice comes to the same."""

    async def do(caller: Caller, _subject: str) -> Outcome:
        after, reworded = 0, 0
        while batch := await db.all(caller, Indexed, queries.objects, after=after, limit=BATCH):
            for each in batch:
                async with db.begin(caller) as tx:
                    for document in await readers[each.kind](tx, [each.object_id]):
                        reworded += await _reword(tx, document)
            after = batch[-1].last_passage
        return Outcome({"passages": reworded})

    return do


async def _reword(tx: Tx, document: Document) -> int:
    """An object that was written meanwhile was put into the new words by that."""
    reworded = await tx.one(
        int,
        queries.reword,
        kind=document.kind,
        object_id=document.object_id,
        updated_at=document.updated_at,
        **in_words(document),
    )
    return reworded or 0
