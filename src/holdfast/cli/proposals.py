"""proposals and extract: what learning proposes, and learning from a file."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from holdfast.cli.options import ApiKey, AsJson, Url, User
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast_client import UNSET
from holdfast_client.learning import calls

COLUMNS = ["id", "action", "target", "status", "content", "reason"]

ProposalId = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The proposal's id.")]

proposals_app = typer.Typer(help="What learning proposes.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group and the command."""
    app.add_typer(proposals_app, name="proposals")
    app.command("extract")(extract)


@proposals_app.command("list")
def list_proposals(
    status: Annotated[
        Literal["pending", "applied", "rejected", "quarantined", "reverted"] | None,
        typer.Option(),
    ] = None,
    job: Annotated[str | None, typer.Option(help="Of this job alone.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 20,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Proposals, newest first.

    Example: holdfast proposals list --status pending --user ana
    """
    service = Remote(url, api_key, user=user)
    rows = list(service.pages(calls.list_proposals, limit=limit, status=status, job_id=job))
    show_all(rows, COLUMNS, as_json=as_json)


@proposals_app.command("show")
def show_proposal(
    proposal_id: ProposalId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """One proposal: its content, sources, reason and result.

    Example: holdfast proposals show prop_0190f5fe7c00700080000000000000aa
    """
    show(Remote(url, api_key, user=user).ask(calls.read_proposal, proposal_id), as_json=as_json)


@proposals_app.command("edit")
def edit_proposal(
    proposal_id: ProposalId,
    content: Annotated[str | None, typer.Option(help="The new text.")] = None,
    target: Annotated[
        Literal["block", "memory", "entry", "node_item"] | None,
        typer.Option(help="Where it is to stand."),
    ] = None,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Change a proposal that is not decided.

    Example: holdfast proposals edit prop_0190f5fe7c00700080000000000000aa --content "Parks on level 3"
    """
    changed = Remote(url, api_key, user=user).ask(
        calls.edit_proposal,
        proposal_id,
        content=UNSET if content is None else content,
        target=UNSET if target is None else target,
    )
    show(changed, as_json=as_json)


@proposals_app.command("accept")
def accept_proposals(
    proposal_ids: Annotated[list[str], typer.Argument(metavar="PROPOSAL...")],
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Apply proposals, all or none.

    Example: holdfast proposals accept prop_0190f5fe7c00700080000000000000aa --user ana
    """
    accepted = Remote(url, api_key, user=user).ask(calls.accept_proposals, proposal_ids)
    show_all(accepted["data"], COLUMNS, as_json=as_json)


@proposals_app.command("reject")
def reject_proposal(
    proposal_id: ProposalId,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Decide against a proposal.

    Example: holdfast proposals reject prop_0190f5fe7c00700080000000000000aa
    """
    show(Remote(url, api_key, user=user).ask(calls.reject_proposal, proposal_id), as_json=as_json)


def extract(
    file: Annotated[
        Path, typer.Argument(help="A JSON list of messages, or text: each line a user's message.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the proposals, change nothing.")
    ] = False,
    agent: Annotated[str | None, typer.Option(help="The agent that was talked to.")] = None,
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Learn from the messages of a file, which are not kept.

    Example: holdfast extract --dry-run talk.json --user ana
    """
    found = Remote(url, api_key, user=user).ask(
        calls.extract, _messages(file), agent_id=agent, dry_run=dry_run
    )
    show_all(found["proposals"], COLUMNS, as_json=as_json)


def _messages(file: Path) -> list[str | dict[str, Any]]:
    """The messages of a file: JSON, else its lines."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read: {error}") from None
    try:
        found = json.loads(text)
    except ValueError:
        return [line for line in text.splitlines() if line.strip()]
    if isinstance(found, dict) and isinstance(found.get("messages"), list):
        found = found["messages"]
    return found if isinstance(found, list) else [found]
