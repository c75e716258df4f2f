"""`python -m bench.peers PEER FILE`, run in the peers' environment: prints a line of JSON for the peer, each unit and each question.

The database URL is in PEER_DATABASE, so that its password is not visible in the list of processes.
"""

import importlib
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from holdfast_minilm import MiniLM

from bench.peers.contract import ADAPTERS, Adapter
from bench.quality import DEEPEST, read


def main(name: str, file: Path, database: str) -> None:
    """Store every space and ask its questions, one at a time."""
    reports, sys.stdout = (
        sys.stdout,
        sys.stderr,
    )  # output of the libraries must not mix with the report

    def report(**line: Any) -> None:
        print(json.dumps(line), file=reports, flush=True)

    adapter: Adapter = importlib.import_module(ADAPTERS[name])
    model = MiniLM()
    with adapter.opened(database, lambda texts: model.embed(texts).tolist()) as peer:
        report(version=importlib.metadata.version(adapter.PACKAGE))
        for space in read(file):
            for unit in space.units:
                started = time.perf_counter()
                peer.add(space.name, unit)
                report(add_s=time.perf_counter() - started)
            for question in space.questions:
                started = time.perf_counter()
                found = peer.search(space.name, question["q"], DEEPEST)
                report(search_s=time.perf_counter() - started, found=found)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), os.environ["PEER_DATABASE"])
