"""Settling without a worker: the handler of the job, called here, on the database of the running service.

`killed_at_each_statement` ends the connections of a run at every statement in turn, as the kernel does for a killed process. As a
script this settles a session in forks that are killed with SIGKILL, at these statements: `python -m
tests.learning.service.in_process URL ORG USER SESSION JOB NUMBER…`.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

import psycopg

from holdfast.conversations.backends import Backends
from holdfast.kernel import jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.tx import Tx
from holdfast.learning import settle
from holdfast.learning.consolidation import service as consolidation
from holdfast.learning.extractor import Extractor, RulesExtractor
from holdfast.learning.judge import Judge
from holdfast.learning.settle import Learning

QUEUE = "nobody"  # no worker looks here


def learning_on(db: Database, extractor: Extractor | None = None) -> Learning:
    return Learning(Backends(db), extractor or RulesExtractor(db.services.get(Judge)))


async def new_job(db: Database, org_id: str, user_id: str, session_id: str) -> str:
    """A job that no worker takes up."""
    caller = Caller(org_id, "service", "key_test", "default", user_id=user_id)
    async with db.begin(caller) as tx:
        job_id = await jobs.enqueue(tx, "settle", session_id, queue=QUEUE)
        await tx.run(jobs.queries.claim, id=job_id)
    assert job_id is not None
    return job_id


async def run_job(learning: Learning, org_id: str, user_id: str, session: str, job: str) -> Any:
    """Do a job as a worker would."""
    caller = Caller(org_id, "job", job, "default", user_id=user_id)
    return await settle.handler(learning)(caller, session)


async def settle_here(
    db: Database, org_id: str, user_id: str, session_id: str, extractor: Extractor | None = None
) -> str:
    """Settle a session in this process; the job's id."""
    job_id = await new_job(db, org_id, user_id, session_id)
    await run_job(learning_on(db, extractor), org_id, user_id, session_id, job_id)
    return job_id


async def consolidate_here(db: Database, org_id: str, user_id: str) -> str:
    """Consolidate a user's memory in this process; the job's id."""
    caller = Caller(org_id, "service", "key_test", "default", user_id=user_id)
    subject = ",".join(consolidation.KINDS)
    async with db.begin(caller) as tx:
        job_id = await jobs.enqueue(tx, consolidation.JOB, subject, queue=QUEUE)
        await tx.run(jobs.queries.claim, id=job_id)
    assert job_id is not None
    acting = Caller(org_id, "job", job_id, "default", user_id=user_id)
    await consolidation.handler(db)(acting, subject)
    return job_id


class Killed(BaseException):
    """The process would be gone here. No handler of exceptions takes it for a failure that it can answer."""


async def killed_at_each_statement(
    db: Database,
    org_id: str,
    user_id: str,
    session: str,
    job: str,
    extractor: Extractor | None = None,
    step: int = 1,
) -> int:
    """Do a job again and again, each time killed one statement (or `step`) later, until one run comes to its end; how many were
    killed."""
    learning = learning_on(db, extractor)
    for killed_before, number in enumerate(count(1, step)):
        with _cut_off_at(number) as killed:
            try:
                await run_job(learning, org_id, user_id, session, job)
            except (Killed, psycopg.Error, HoldfastError):
                if not killed:
                    raise
        if not killed:
            return killed_before
    raise AssertionError("unreachable")


@contextmanager
def _cut_off_at(number: int) -> Iterator[list[int]]:
    """Cut the connection as the statement of this number is about to be sent; what was sent before may have arrived.

    The list holds the number once that happened. After it nothing of this run reaches the database, whatever cleans up.
    """
    sent, killed, send = 0, [], Tx.send

    async def counting(self: Tx, *args: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent >= number:
            killed.append(number)
            with socket.socket(fileno=os.dup(self.connection.pgconn.socket)) as wire:
                wire.shutdown(socket.SHUT_RDWR)
            raise Killed
        return await send(self, *args)

    with patch.object(Tx, "send", counting):
        yield killed


async def _die_at(number: int, url: str, org: str, user: str, session: str, job: str) -> None:
    """Settle, and die as the statement of this number is sent."""
    sent, send = 0, Tx.send

    async def counting(self: Tx, *args: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return await send(self, *args)

    db = Database(url, min_size=1, max_size=3, services=[Embedders("none")])
    with patch.object(Tx, "send", counting):
        async with db.opened():
            await run_job(learning_on(db), org, user, session, job)


def main(url: str, org: str, user: str, session: str, job: str, *numbers: str) -> None:
    for number in numbers:
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(_die_at(int(number), url, org, user, session, job))
                os._exit(0)
            except BaseException as error:  # whatever it is, the parent says so
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(f"the run that was to die at statement {number} came to its end")


if __name__ == "__main__":
    main(*sys.argv[1:])
