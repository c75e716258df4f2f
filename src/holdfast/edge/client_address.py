"""The address that a request came from, behind proxies that the settings trust."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from fastapi import Request
from starlette.requests import HTTPConnection

from holdfast.kernel.errors import Invalid

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def read_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Addresses and networks as they are written in HOLDFAST_TRUSTED_PROXIES."""
    try:
        return tuple(ip_network(text.strip(), strict=False) for text in texts)
    except ValueError as error:
        raise Invalid(
            f"HOLDFAST_TRUSTED_PROXIES: {error}; write addresses or networks, as in 10.0.0.0/8"
        ) from None


def is_trusted_proxy(request: HTTPConnection) -> bool:
    """Whether the connection comes from a proxy that the settings trust."""
    address = None if request.client is None else _parse(request.client.host)
    return address is not None and _is_in(address, request.app.state.trusted_proxies)


def client_address(request: Request) -> str:
    """The connection's own address; where that is a trusted proxy's, the rightmost hop of X-Forwarded-For that is not.

    A hop further left was written by somebody whom nobody vouches for. One that is no address ends the walk: then the
    proxy that passed it on is the client.
    """
    if request.client is None:
        return "unknown"
    trusted: tuple[Network, ...] = request.app.state.trusted_proxies
    address = _parse(request.client.host)
    if address is None:
        return request.client.host
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    while hops and _is_in(address, trusted):
        hop = _parse(hops.pop())
        if hop is None:
            break
        address = hop
    return str(address)


def _parse(text: str) -> Address | None:
    """An address, also with a port or in brackets; an IPv4 address that is written as IPv6 is the IPv4 one."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
