"""Quality of recall through the public API: `python -m bench.recall [SET …]` (`make bench-recall` for all sets).

One memory per unit: the text as value, the speaker as source, the session as session_id, the date as valid_from; default
settings, hybrid, no LLM. Prints recall of gold units at 5, 10 and 50, of gold sessions at 5 and 10, MRR, nDCG@10, the time
of writes and searches, and R@10 per category. If `make bench-peers` has been run, LangGraph's PostgresStore and mem0 answer the
same questions and are in the same table (see bench/peers). Exits with 1 if a figure is below its floor.
"""

import statistics
import sys
import time
from collections.abc import Sequence

import httpx
import uvloop
from rich.table import Table

from bench import recall_cost, recall_parts
from bench.harness import Bench, bench_service, console, load_note, progress_bar
from bench.peers import run as peers
from bench.peers.contract import ADAPTERS
from bench.quality import (
    DEEPEST,
    SETS,
    Figures,
    Space,
    file_of,
    folder,
    foreign_to,
    read,
    steps,
)
from holdfast.kernel import logs

FLOORS = {
    "locomo-tune": {"R@5": 0.77, "R@10": 0.85, "R@50": 0.93},
    "longmemeval-tune": {"R@10": 0.86},
    "memchat": {"R@10": 0.92},  # the model was trained on it
}
GOALS = {
    "locomo-tune": {"R@5": 0.78, "R@10": 0.86},
    "longmemeval-tune": {"R@10": 0.87},
}
US = "Holdfast"


async def measure(client: httpx.AsyncClient, name: str, spaces: list[Space]) -> Figures:
    """Store every space for its own user, one memory at a time, and ask its questions."""
    figures = Figures()
    with progress_bar() as progress:
        task = progress.add_task(f"{name}, {US}", total=steps(spaces))
        for place, space in enumerate(spaces):
            as_user = {"Holdfast-User": f"{name}-{space.name}"}
            units: dict[str, str] = {}
            for number, unit in enumerate(space.units):
                body = {
                    "key": f"turn-{number}",
                    "value": unit["text"],
                    "source": unit["speaker"],
                    "session_id": f"{name}-{space.name}-{unit['session']}".replace(" ", "_"),
                    "valid_from": f"{unit['date']}Z",
                }
                started = time.perf_counter()
                reply = await client.post("/memories", json=body, headers=as_user)
                figures.add_s.append(time.perf_counter() - started)
                reply.raise_for_status()
                units[reply.json()["id"]] = unit["id"]
                progress.advance(task)
            for question in space.questions:
                body = {"q": question["q"], "limit": DEEPEST}
                if question["date"]:
                    body["now"] = f"{question['date']}Z"
                started = time.perf_counter()
                reply = await client.post("/memories/recall", json=body, headers=as_user)
                figures.search_s.append(time.perf_counter() - started)
                reply.raise_for_status()
                scored = [(units[row["id"]], row["score"]) for row in reply.json()["data"]]
                figures.count(space, question, [unit for unit, _ in scored])
                figures.count_scores(question, scored)
                figures.count_sure(question, scored)
                reply = await client.post(
                    "/memories/recall", json=body | {"limit": 10}, headers=as_user
                )
                reply.raise_for_status()
                figures.count_ten(question, [units[row["id"]] for row in reply.json()["data"]])
                progress.advance(task)
            for question in foreign_to(place, max(len(spaces) // 4, 1)):
                body = {"q": question, "limit": 10}
                reply = await client.post("/memories/recall", json=body, headers=as_user)
                reply.raise_for_status()
                figures.count_foreign([row["score"] for row in reply.json()["data"]])
    return figures


async def measure_peers(bench: Bench, name: str) -> dict[str, Figures]:
    """The figures of each installed peer, by name and version. A peer that fails is reported and left out."""
    interpreter = peers.python()
    if interpreter is None:
        return {}
    measured: dict[str, Figures] = {}
    for peer in ADAPTERS:
        try:
            version, figures = await peers.measure(
                interpreter, peer, file_of(name), bench.owner_url
            )
        except peers.PeerFailed as failure:
            console.print(f"[red]{peer} did not finish:[/red]\n{failure}", highlight=False)
        else:
            measured[f"{peer} {version}"] = figures
    return measured


def show(name: str, measured: dict[str, Figures]) -> None:
    """Print all figures in one table, and the recall of Holdfast by category."""
    table = Table(
        title=f"{name} ({load_note()})", title_justify="left", box=None, padding=(0, 1, 0, 0)
    )
    table.add_column(min_width=max(len(word) for who in measured for word in who.split()))
    columns = list(measured[US].values)
    for column in (*columns, "adds/s", "search p50 ms"):
        table.add_column(column, justify="right", max_width=7)
    for who, figures in measured.items():
        table.add_row(
            who,
            # Peers have no calibrated score, so no figure with `min_score`.
            *(f"{figures.mean(c):.3f}" if figures.values.get(c) else "–" for c in columns),
            f"{figures.adds_per_s:.0f}",
            f"{figures.search_p50_ms:.1f}",
        )
    console.print(table)
    console.print(
        f"  {US}, R@10 by category: "
        + ", ".join(f"{c} {statistics.fmean(v):.3f}" for c, v in measured[US].by_category.items())
    )
    of_ten = measured[US].of_ten
    every = [share for shares in of_ten.values() for share in shares]
    console.print(
        f"  {US}, R@10 where 10 are asked for: {statistics.fmean(every):.3f}; by category: "
        + ", ".join(f"{c} {statistics.fmean(v):.3f}" for c, v in of_ten.items())
    )
    console.print(
        f"  {US}, share of gold among results by their score: "
        + ", ".join(
            f"{band:.1f}+ {100 * statistics.fmean(hits):.1f} % of {len(hits):,}"
            for band, hits in sorted(measured[US].by_score.items())
        )
    )

    console.print(
        f"  {US}, foreign questions that get an answer: "
        + ", ".join(
            f"{100 * statistics.fmean(each):.0f} % {how} (of {len(each)})"
            for how, each in measured[US].foreign.items()
        )
    )
    reached = [
        f"{figure} {measured[US].mean(figure):.3f} of {goal}"
        for figure, goal in GOALS.get(name, {}).items()
    ]
    if reached:
        console.print(f"  {US}, goals: {', '.join(reached)}")


def below_floor(name: str, figures: Figures) -> list[str]:
    """The figures that are below their floors."""
    return [
        f"{name} {figure}: {figures.mean(figure):.3f} < {floor}"
        for figure, floor in FLOORS[name].items()
        if figures.mean(figure) < floor
    ]


async def run(bench: Bench, names: Sequence[str] = SETS) -> bool:
    """Measure the data sets that are present; returns whether all figures reached their floors."""
    failed: list[str] = []
    if peers.python() is None:
        console.print(peers.HOW_TO_GET_THEM)
    for name in names:
        if not file_of(name).exists():
            console.print(
                f"{name}: there is no {file_of(name).name} beside or in {folder()}; "
                "set HOLDFAST_BENCH_DATA to the folder that has it"
            )
            continue
        ours = await measure(bench.http, name, read(file_of(name)))
        show(name, {US: ours, **await measure_peers(bench, name)})
        failed += below_floor(name, ours)
    for line in failed:
        console.print(f"[red]below the floor: {line}")
    return not failed


async def main() -> int:
    """The command line."""
    async with bench_service() as bench:
        named = [each for each in sys.argv[1:] if each in SETS]
        reached = await run(bench, named or SETS)
        await recall_parts.run(bench)
        if file_of("locomo-tune").exists():
            await recall_cost.run(bench)
        return 0 if reached else 1


if __name__ == "__main__":
    logs.configure("warning")
    sys.exit(uvloop.run(main()))  # as in `holdfast serve`
