"""jobs: what runs in the background, how it went, again or not at all."""

from typing import Annotated, Literal

import typer

from holdfast.cli.options import ApiKey, AsJson, Url, User
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast_client.jobs import calls
from holdfast_client.learning import calls as learning

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]

jobs_app = typer.Typer(help="Background jobs.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(jobs_app, name="jobs")


@jobs_app.command("list")
def list_jobs(
    status: Annotated[
        Literal["queued", "running", "succeeded", "failed", "cancelled"] | None, typer.Option()
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 20,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Jobs, newest first.

    Example: holdfast jobs list --status failed
    """
    service = Remote(url, api_key, user=user)
    rows = list(service.pages(calls.list_jobs, limit=limit, status=status))
    show_all(rows, ["id", "kind", "status", "attempts", "updated_at", "error"], as_json=as_json)


@jobs_app.command("show")
def show_job(
    job_id: JobId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """One job: its status, attempts, error and result.

    Example: holdfast jobs show job_0190f5fe7c00700080000000000000aa
    """
    show(Remote(url, api_key, user=user).ask(calls.read_job, job_id), as_json=as_json)


@jobs_app.command("retry")
def retry_job(
    job_id: JobId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Run a job again that failed or was cancelled.

    Example: holdfast jobs retry job_0190f5fe7c00700080000000000000aa
    """
    show(Remote(url, api_key, user=user).ask(calls.retry_job, job_id), as_json=as_json)


@jobs_app.command("cancel")
def cancel_job(
    job_id: JobId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Cancel a job that has not begun.

    Example: holdfast jobs cancel job_0190f5fe7c00700080000000000000aa
    """
    show(Remote(url, api_key, user=user).ask(calls.cancel_job, job_id), as_json=as_json)


@jobs_app.command("revert")
def revert_job(
    job_id: JobId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Undo what a job wrote where nobody has changed it since; shows what was undone and what was kept, and why.

    Example: holdfast jobs revert job_0190f5fe7c00700080000000000000aa --user ana
    """
    done = Remote(url, api_key, user=user).ask(learning.revert_job, job_id)
    rows = [
        *({**each, "outcome": "reverted"} for each in done["reverted"]),
        *({**each, "outcome": each["reason"]} for each in done["kept"]),
    ]
    show_all(rows, ["kind", "id", "outcome"], as_json=as_json)
