"""Erasing through a running service: the job, its progress, its receipt."""

import sys
import time
from typing import Any

from holdfast.cli.exits import CommandError
from holdfast.cli.remote import Remote
from holdfast_client.erasures import calls
from holdfast_client.jobs import calls as jobs

LOOK_EVERY_S = 0.3


def erase(service: tuple[str, str], user_id: str, *, everything: bool) -> dict[str, Any]:
    """The receipt, once the job is done."""
    remote = Remote(*service)
    job_id = remote.ask(calls.erase_user, user_id, everything=everything)["job_id"]
    job = _wait(remote, job_id)
    if job["status"] != "succeeded":
        raise CommandError(f"the job {job_id} {job['status']}: {job['error']}")
    receipt: dict[str, Any] = remote.ask(calls.read_receipt, job["result"]["receipt_id"])
    return receipt


def verify(service: tuple[str, str], receipt_id: str) -> dict[str, Any]:
    """What the service finds when it checks a receipt."""
    verdict: dict[str, Any] = Remote(*service).ask(calls.verify_receipt, receipt_id)
    return verdict


def _wait(remote: Remote, job_id: str) -> dict[str, Any]:
    told = ""
    while True:
        job: dict[str, Any] = remote.ask(jobs.read_job, job_id)
        if job["status"] in ("succeeded", "failed", "cancelled"):
            return job
        progress = (job["result"] or {}).get("progress")
        line = f"{progress['step']}: {progress['done']} of {progress['of']}" if progress else ""
        if line and line != told and sys.stderr.isatty():
            print(line, file=sys.stderr)
        told = line
        time.sleep(LOOK_EVERY_S)
