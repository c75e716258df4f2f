"""Erasing a person: who may, the job, the erasure itself, its receipt."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.conversations.backends import Backends
from holdfast.erasure import files, outside
from holdfast.erasure.model import Receipt, ids_digest, person_digest, receipt_digest
from holdfast.erasure.rows import Eraser, queries, renaming
from holdfast.erasure.rules import REWRITTEN
from holdfast.kernel import clock, jobs, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import BackendUnavailable, Conflict, NotFound
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.key_cache import KeyCache
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.memories.assets.objects import ObjectStore

receipts = load(__file__, "receipts.sql")

JOB, JOB_EVERYTHING = "erase", "erase_everything"


@dataclass(frozen=True, slots=True)
class Erasing:
    """What an erasure works on. `owner_url` gives the login of the schema's owner, which may rewrite tables."""

    backends: Backends
    assets: ObjectStore
    owner_url: Callable[[], str]

    @property
    def db(self) -> Database:
        """The database of the deployment."""
        return self.backends.db


async def request(db: Database, caller: Caller, user_id: str, *, everything: bool = False) -> str:
    """Ask for the erasure of a person; the id of the job that does it. Needs a service key, or a browser session with a
    fresh step-up: of an owner, or of the person."""
    must_be_allowed(caller, user_id)
    async with db.begin(caller) as tx:
        await check(tx, user_id)
        job_id = await jobs.enqueue(tx, JOB_EVERYTHING if everything else JOB, user_id)
    if job_id is None:
        raise RuntimeError("the job was not made")
    outside.erase_in_process(caller.org_id, user_id)
    return job_id


def must_be_allowed(caller: Caller, user_id: str) -> None:
    """Refuse (step_up_required, or not found where another person is named) who may not erase this person."""
    if caller.credential in ("service", "operator"):
        return
    caller.must_have_stepped_up()
    if not caller.owner and caller.user_id != user_id:
        raise NotFound("there is no such user")


async def check(tx: Tx, user_id: str) -> None:
    """NotFound for somebody of whom nothing is kept; Conflict for the last owner of the org."""
    if not await tx.one(bool, queries.is_known, user_id=user_id):
        raise NotFound("there is no such user")
    if await tx.one(bool, queries.is_last_owner, user_id=user_id):
        raise Conflict(
            "the last owner of the org cannot be erased: make somebody else an owner first"
        )


async def must_reach_redis(erasing: Erasing, caller: Caller) -> None:
    """Refuse (MEM-003) an erasure by a process that has no Redis while conversations are kept in one."""
    kept = await erasing.db.all(caller, str, queries.resources_in_redis)
    if kept and erasing.backends.redis is None:
        raise BackendUnavailable(
            f"conversations of {kept[0]!r} are kept in Redis: set HOLDFAST_REDIS_URL"
        )


async def erase(
    erasing: Erasing, caller: Caller, user_id: str, *, everything: bool = False
) -> Receipt:
    """Delete what is the person's, in Redis and then in the database; `complete` is to follow."""
    outside.erase_in_process(caller.org_id, user_id)
    in_redis = await outside.erase_in_redis(erasing.backends.redis, caller.org_id, user_id)
    async with erasing.db.begin(caller) as tx:
        await tx.run(queries.lock_person, user_id=user_id)
        await check(tx, user_id)
        pseudonym = f"erased-{secrets.token_hex(8)}"
        erased = await Eraser(
            tx, user_id, pseudonym, everything=everything, message_ids=in_redis.message_ids
        ).run()
        counts = erased.counts
        if in_redis.lists:
            counts["erased"]["redis_conversations"] = in_redis.lists
        receipt = await _write(
            tx,
            user_id,
            pseudonym=pseudonym,
            everything=everything,
            counts=Jsonb(counts),
            hashes=Jsonb({t: ids_digest(ids) for t, ids in sorted(erased.by_table.items()) if ids}),
            outside=Jsonb({"objects_to_delete": erased.assets}),
        )
        tx.on_commit(erasing.db.services.get(KeyCache).forget)
        tx.on_commit(metrics.people_erased.inc)
    return receipt


async def _write(tx: Tx, user_id: str, **fields: Any) -> Receipt:
    salt = secrets.token_hex(16)
    receipt = await tx.one(
        Receipt,
        receipts.write_receipt,
        id=new_id("rcpt"),
        salt=salt,
        person_sha256=person_digest(salt, user_id),
        **fields,
    )
    if receipt is None:
        raise RuntimeError("the receipt was not written")
    if tx.caller is not None and tx.caller.credential == "job":
        await tx.run(
            renaming.rename_job,
            user_id=user_id,
            receipt=receipt.id,
            this_job=tx.caller.credential_id,
        )
    return receipt


async def complete(erasing: Erasing, caller: Caller, receipt: Receipt) -> Receipt:
    """Delete the files of assets, and rewrite the files of the database and of Redis. May be repeated."""
    if receipt.is_complete:
        return receipt
    to_delete = receipt.outside.get("objects_to_delete", [])
    await erasing.assets.delete(outside.paths_of(caller.org_id, to_delete))
    redis = await outside.rewrite_redis_files(erasing.backends.redis)
    done = {"objects_deleted": len(to_delete), "redis": redis}
    if to_delete or not receipt.outside.get("redis"):
        receipt = await _note(
            erasing.db, caller, receipts.note_outside, receipt, outside=Jsonb(done)
        )

    async def progress(number: int, of: int) -> None:
        await jobs.note_progress(
            erasing.db, caller, {"step": "rewriting files", "done": number, "of": of}
        )

    rewritten = await files.rewrite(erasing.owner_url(), REWRITTEN, progress)
    ended = replace(receipt, files=rewritten, completed_at=clock.now())
    return await _note(
        erasing.db,
        caller,
        receipts.complete_receipt,
        receipt,
        files=Jsonb(rewritten),
        completed_at=ended.completed_at,
        sha256=receipt_digest(ended),
    )


async def _note(
    db: Database, caller: Caller, query: Any, receipt: Receipt, **fields: Any
) -> Receipt:
    async with db.begin(caller) as tx:
        noted = await tx.one(Receipt, query, id=receipt.id, **fields)
    return noted or receipt


def handler(erasing: Erasing, *, everything: bool) -> Handler:
    """The job. Its subject is the person until the rows are gone, and the receipt from then on: a job that is tried again
    goes on with the files."""

    async def run(caller: Caller, subject: str) -> Outcome:
        await jobs.note_progress(erasing.db, caller, {"step": "deleting rows", "done": 0, "of": 1})
        begun = await _find_receipt(erasing.db, caller, subject)
        receipt = begun or await erase(erasing, caller, subject, everything=everything)
        receipt = await complete(erasing, caller, receipt)
        return Outcome({"receipt_id": receipt.id, "counts": receipt.counts, "files": receipt.files})

    return run


async def open_receipt(db: Database, caller: Caller, receipt_id: str) -> Receipt:
    """One receipt, for those who administer the org; NotFound where there is none."""
    caller.must_administer("reading receipts of erasures")
    found = await _find_receipt(db, caller, receipt_id)
    if found is None:
        raise NotFound(f"there is no receipt {receipt_id!r}")
    return found


async def _find_receipt(db: Database, caller: Caller, receipt_id: str) -> Receipt | None:
    if not is_id(receipt_id, "rcpt"):
        return None
    return await db.one(caller, Receipt, receipts.read_receipt, id=receipt_id)


async def list_receipts(db: Database, caller: Caller, cursor: Cursor) -> Page[Receipt]:
    """The receipts of the org, newest first, for those who administer it."""
    caller.must_administer("reading receipts of erasures")
    async with db.read(caller) as tx:
        return await read_page(tx, Receipt, receipts.list_receipts, cursor)
