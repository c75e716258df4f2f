"""erase: delete a person for good, and check the receipt later.

Beside a running service (or with --url) the service does it, as a job: it knows its own Redis and object store. Without one the
command does it itself, on the database of the settings.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.exits import FAILED, CommandError
from holdfast.cli.options import ApiKey, AsJson, Url
from holdfast.cli.output import show
from holdfast.cli.progress import working


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("erase")(erase_command)


def erase_command(
    user: Annotated[str | None, typer.Option("--user", help="The person to erase.")] = None,
    verify: Annotated[
        str | None,
        typer.Option(
            "--verify",
            metavar="RECEIPT",
            help="Check this receipt instead: its id, or the file it was printed into.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Also what the person wrote into shared memory."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    org: Annotated[
        str | None, typer.Option("--org", help="The org's id; acts on the database itself.")
    ] = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Erase every row, message, file and derived memory of a person, and print the receipt.

    What the person wrote into org stores and into projects' or agents' memory stays under a pseudonym, unless --everything.

    Example: holdfast erase --user ana --yes
    Example: holdfast erase --verify rcpt_0190f5fe7c00700080000000000000aa
    """
    if (user is None) == (verify is None):
        raise CommandError("name the person with --user, or a receipt with --verify")
    if user is not None and not yes:
        _confirm(user)
    found = None if org is not None else _service(url, api_key)
    if verify is not None:
        verdict = _verify(found, org, _receipt_id(verify))
        show(verdict, as_json=as_json)
        if not verdict["ok"]:
            raise typer.Exit(FAILED)
        return
    show(_erase(found, org, user or "", everything=everything), as_json=as_json)


def _confirm(user: str) -> None:
    if not sys.stdin.isatty():
        raise CommandError("nobody is there to confirm it: give --yes to erase without being asked")
    question = f"Erase everything of {user!r}? This cannot be undone."
    typer.confirm(question, abort=True, err=True)  # the output is the receipt's


def _erase(
    found: tuple[str, str] | None, org: str | None, user_id: str, *, everything: bool
) -> dict[str, Any]:
    if found is not None:
        from holdfast.cli import erase_by_service

        return erase_by_service.erase(found, user_id, everything=everything)
    from holdfast.cli import erase_by_database

    with working("Erasing"):
        return erase_by_database.erase(org, user_id, everything=everything)


def _verify(found: tuple[str, str] | None, org: str | None, receipt: str) -> dict[str, Any]:
    if found is not None:
        from holdfast.cli import erase_by_service

        return erase_by_service.verify(found, receipt)
    from holdfast.cli import erase_by_database

    return erase_by_database.verify(org, receipt)


def _receipt_id(receipt: str) -> str:
    """The id of a receipt, which is given or stands in a file that `erase --json` was printed into."""
    file = Path(receipt)
    if not file.is_file():
        return receipt
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["id"])
    except (ValueError, KeyError, TypeError):
        raise CommandError(
            f"{file} holds no receipt as `holdfast erase --json` prints it"
        ) from None


def _service(url: str | None, api_key: str | None) -> tuple[str, str] | None:
    """URL and key of a service that answers; None where none is named and none runs on this data folder."""
    import httpx

    from holdfast.cli.remote import find_server
    from holdfast.local import find_service, local_data_dir

    if url is not None:
        return find_server(url, api_key)
    local = find_service(local_data_dir())
    if local is None:
        return None
    try:
        httpx.get(f"{local.url}/healthz", timeout=5).raise_for_status()
    except httpx.HTTPError:
        return None
    return local.url, api_key or local.key
