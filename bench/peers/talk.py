"""`python -m bench.peers.talk PEER`, in the peers' environment: carries out the commands on standard input, one line of JSON each.

`{"space", "unit"}` stores a unit, `{"space", "question", "limit"}` searches; the answer has the time it took and the time that
this process was on the CPU, in seconds. The database URL is in PEER_DATABASE.
"""

import importlib
import importlib.metadata
import json
import os
import sys
import time
from typing import Any

from holdfast_minilm import MiniLM

from bench.peers.contract import ADAPTERS, Adapter, Peer


def main(name: str, database: str) -> None:
    """Answer until the input ends."""
    reports, sys.stdout = sys.stdout, sys.stderr  # libraries may print

    def report(**line: Any) -> None:
        print(json.dumps(line), file=reports, flush=True)

    adapter: Adapter = importlib.import_module(ADAPTERS[name])
    model = MiniLM()
    with adapter.opened(database, lambda texts: model.embed(texts).tolist()) as peer:
        report(version=importlib.metadata.version(adapter.PACKAGE))
        for line in sys.stdin:
            command = json.loads(line)
            started, on_cpu = time.perf_counter(), time.process_time()
            found = carry_out(peer, command)
            report(s=time.perf_counter() - started, cpu_s=time.process_time() - on_cpu, found=found)


def carry_out(peer: Peer, command: dict[str, Any]) -> int:
    """Store or search; how many were found."""
    if "unit" in command:
        peer.add(command["space"], command["unit"])
        return 0
    return len(peer.search(command["space"], command["question"], command["limit"]))


if __name__ == "__main__":
    main(sys.argv[1], os.environ["PEER_DATABASE"])
