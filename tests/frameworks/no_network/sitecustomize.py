"""Python runs this at start: connections and look-ups other than of this machine fail, and are printed."""

import socket
import sys

_connect, _look_up = socket.socket.connect, socket.getaddrinfo
LOCAL = {"127.0.0.1", "::1", "localhost", None}


def _refuse(host):
    print(f"NETWORK: {host}", file=sys.stderr, flush=True)
    raise OSError(f"no network in this test: {host}")


def connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOCAL:
        _refuse(address[0])
    return _connect(self, address)


def look_up(host, *args, **kwargs):
    if host not in LOCAL:
        _refuse(host)
    return _look_up(host, *args, **kwargs)


socket.socket.connect, socket.getaddrinfo = connect, look_up
