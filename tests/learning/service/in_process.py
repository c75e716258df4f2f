"""Settling without a worker: the handler of the job, called here, on the database of the running service.

As a script it settles a session in forks that are killed with SIGKILL, each at a later statement than the one before, until
one comes to its end: `python -m tests.learning.service.in_process URL ORG USER SESSION JOB STRIDE`.
"""

import asyncio
import os
import signal
import sys
from typing import Any

from holdfast.conversations.backends import Backends
from holdfast.kernel import jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.tx import Tx
from holdfast.learning import settle
from holdfast.learning.extractor import Extractor, RulesExtractor
from holdfast.learning.settle import Learning

QUEUE = "nobody"  # no worker looks here


def learning_on(db: Database, extractor: Extractor | None = None) -> Learning:
    return Learning(Backends(db), extractor or RulesExtractor())


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


async def _killed_at(number: int, url: str, org: str, user: str, session: str, job: str) -> None:
    """Settle, and die as the statement of this number is sent; what was sent before may have arrived."""
    sent = 0
    send = Tx.send

    async def counting(self: Tx, *args: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return await send(self, *args)

    Tx.send = counting  # type: ignore[method-assign]
    db = Database(url, min_size=1, max_size=3, services=[Embedders("none")])
    async with db.opened():
        await run_job(learning_on(db), org, user, session, job)


def main(url: str, org: str, user: str, session: str, job: str, stride: str) -> None:
    killed = 0
    while True:
        child = os.fork()
        if child == 0:
            try:
                number = 1 + killed * int(stride)
                asyncio.run(_killed_at(number, url, org, user, session, job))
                os._exit(0)
            except BaseException as error:  # whatever it is, the parent says so
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            killed += 1
            continue
        print(killed)
        sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
