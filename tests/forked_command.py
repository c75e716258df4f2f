"""Runs Python with the arguments that follow in a process forked from the loaded one (tests/forked.py), and exits as it does.

For shells, where a program is started that a test does not start itself. It is run with `python -I -S` and imports next to
nothing, so that it starts in some milliseconds; the loaded process must be there.
"""

import json
import os
import select
import socket
import sys


def main() -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(f"\0holdfast-tests-{os.environ['TESTS_FORKS_OF']}")
        request = {"args": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}  # noqa: PTH109
        socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
        pid = int(connection.recv(64))
        ended = select.poll()
        ended.register(os.pidfd_open(pid), select.POLLIN)
        ended.poll()
        connection.send(json.dumps({"exit_code": pid}).encode())
        code = int(connection.recv(64))
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
