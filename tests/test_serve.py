"""What `serve` gives to whatever event loop it runs on."""

import asyncio
import socket

from holdfast.serve import _listen


async def test_a_reply_is_sent_at_once_also_on_the_standard_event_loop():
    """Under Nagle's algorithm the body of a reply would wait for the client to acknowledge its headers."""
    accepted: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set_result(writer.get_extra_info("socket"))

    listener = _listen("127.0.0.1", 0)
    async with await asyncio.start_server(answer, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        connection = await accepted
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        writer.close()
