"""Installs a lock file with pip, with required hashes, and prints its progress.

python tools/install.py requirements.lock [further options of pip install]

The file names every package that is needed, so pip resolves nothing (`--no-deps`). Left to resolve, older
versions of pip (23.2 among them) do not see that a pin of `psycopg` holds for the `psycopg[pool]` that another
package asks for: they take the newest release of that, and refuse it for having no hash.
"""

import re
import subprocess
import sys
import time
from pathlib import Path


def main(lock: Path, options: list[str]) -> int:
    """Run pip and print progress; pip's own output is shown only if it fails."""
    names = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", lock.read_text(), re.MULTILINE)
    print(
        f"── installing {lock.name}: {len(names)} packages, each file checked by its hash",
        flush=True,
    )
    began, seen, said = time.monotonic(), 0, []
    process = subprocess.Popen(
        [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off",
         "--require-hashes", "--no-deps", *options, "-r", str(lock)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        found = re.match(
            r"(?:Collecting|Ignoring|Requirement already satisfied:) ([A-Za-z0-9._-]+)", line
        )
        if found:
            seen += 1
            if seen % 10 == 0 or seen == len(names):
                print(f"   {seen} of {len(names)}: {found[1]}", flush=True)
        elif line.startswith("Installing collected packages"):
            print("   unpacking them", flush=True)
    status = process.wait()
    if status != 0:
        sys.stderr.writelines(said[-40:])
        return status
    print(f"   done in {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
