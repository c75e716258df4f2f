"""hygiene and consolidate: how clean memory is, and putting it in order."""

from enum import StrEnum
from typing import Annotated, Any, get_args

import typer

from holdfast.cli.options import ApiKey, AsJson, Url, User
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast_client.learning import calls
from holdfast_client.learning.model import ConsolidationKind

# Typer takes lists of enumerations, not of literals.
Kinds = StrEnum("Kinds", [(each, each) for each in get_args(ConsolidationKind)])  # type: ignore[misc]

COLUMNS = ["action", "target", "content", "before", "reason"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("hygiene")(hygiene)
    app.command("consolidate")(consolidate)


def hygiene(
    user: User = None, url: Url = None, api_key: ApiKey = None, as_json: AsJson = False
) -> None:
    """Duplicates, contradictions, rows without a source and more, by kind of row.

    Example: holdfast hygiene --user ana
    """
    show(Remote(url, api_key, user=user).ask(calls.hygiene), as_json=as_json)


def consolidate(
    kinds: Annotated[
        list[Kinds] | None,
        typer.Option("--kind", help="Look for this alone; may be given several times."),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Have a job do it, rather than show the proposals.")
    ] = False,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """What would be merged, superseded, retired or moved; with --apply a job does it.

    Example: holdfast consolidate --kind duplicates --user ana
    """
    service = Remote(url, api_key, user=user)
    wanted: Any = [each.value for each in kinds] if kinds else None
    found = service.ask(calls.consolidate, dry_run=not apply, kinds=wanted)
    if apply:
        show(found, as_json=as_json)
    else:
        show_all(found["proposals"], COLUMNS, as_json=as_json)
