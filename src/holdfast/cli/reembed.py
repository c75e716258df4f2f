"""reembed: change the embedding model while the service runs."""

import asyncio
from typing import Annotated

import psycopg
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from holdfast.cli.output import AsJson, show
from holdfast.cli.reach import Urls, reach_database
from holdfast.deployment import config_of, open_deployment
from holdfast.kernel import logs
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedder
from holdfast.kernel.errors import Invalid
from holdfast.kernel.recall import vectors
from holdfast.settings import Settings, read_settings
from holdfast.unified_recall.documents import READERS


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reembed")(reembed_command)


def reembed_command(
    embedder: Annotated[
        str | None, typer.Option(help="The embedder to change to; by default the setting's.")
    ] = None,
    keep_old: Annotated[
        bool, typer.Option("--keep-old", help="Keep the old model's vectors, for a way back.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Embed everything with another model; the old vectors are used until all is done. A new run continues an interrupted one.

    Example: holdfast reembed --embedder "https://models.example.com/v1#small"
    """
    settings = read_settings(embedder=embedder)
    logs.configure(settings.log_level)
    with reach_database(settings) as urls:
        show(asyncio.run(reembed(settings, urls, keep_old=keep_old)), as_json=as_json)


async def reembed(settings: Settings, urls: Urls, *, keep_old: bool) -> dict[str, object]:
    """Every org in turn, then the cut-over, then what was written meanwhile."""
    async with open_deployment(config_of(settings, urls.app)) as deployment:
        db, embedder = deployment.db, await deployment.embedders.wanted()
        if embedder is None:
            raise Invalid("there is nothing to embed with: the embedder is none")
        orgs = await asyncio.to_thread(_orgs, urls.owner)
        made = await _embed_all(db, orgs, embedder)
        await asyncio.to_thread(_make_index, urls.owner, embedder.model)
        await asyncio.to_thread(_cut_over, urls.owner, embedder.model)
        made += await _embed_all(db, orgs, embedder)
        if not keep_old:
            await asyncio.to_thread(_drop_old, urls.owner)
        return {"model": embedder.model, "embedded": made, "orgs": len(orgs)}


async def _embed_all(db: Database, orgs: list[str], embedder: Embedder) -> int:
    made = 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("passages", total=0)
        for org_id in orgs:
            caller = operator(org_id)
            far = await vectors.progress(db, caller, embedder.model)
            left = far.passages - far.embedded
            progress.update(task, total=(progress.tasks[task].total or 0) + left)
            async for number in vectors.reembed_org(db, caller, READERS, embedder):
                made += number
                progress.advance(task, number)
    return made


def _orgs(owner_url: str) -> list[str]:
    with psycopg.connect(owner_url) as connection:
        rows = connection.execute("SELECT org_id FROM orgs ORDER BY org_id").fetchall()
    return [org_id for (org_id,) in rows]


def _make_index(owner_url: str, model: str) -> None:
    """An HNSW index for the model's number of dimensions, made beside the running service."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT v.dimensions FROM passage_vectors v JOIN embedding_models m ON m.id = v.model_id"
            " WHERE m.name = %s LIMIT 1",
            [model],
        ).fetchone()
        if found is not None:
            [dimensions] = found
            connection.execute(
                f"CREATE INDEX CONCURRENTLY IF NOT EXISTS passage_vectors_{dimensions:d} ON passage_vectors"
                f" USING hnsw ((embedding::halfvec({dimensions:d})) halfvec_ip_ops)"
                f" WHERE dimensions = {dimensions:d} AND indexed".encode()
            )


def _cut_over(owner_url: str, model: str) -> None:
    """From one moment to the next, the new model serves."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("UPDATE embedding_models SET active = false WHERE active")
        connection.execute("UPDATE embedding_models SET active = true WHERE name = %s", [model])


def _drop_old(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            "DELETE FROM passage_vectors v USING embedding_models m WHERE m.id = v.model_id AND NOT m.active"
        )
        connection.execute("DELETE FROM embedding_models WHERE NOT active")
