"""ETag and If-Match: an object's version, as HTTP speaks of it."""

import hashlib
import json
import re
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response

from holdfast.edge.wire import as_wire
from holdfast.kernel.errors import Malformed, PreconditionFailed

# What the header may be: `*`, or entity tags with commas between them.
IF_MATCH = r'^\s*(\*|(W/)?"[^"]*"(\s*,\s*(W/)?"[^"]*")*)\s*$'

_if_match = re.compile(IF_MATCH)
_tags = re.compile(r'(W/)?"([^"]*)"')


def etag(version: int) -> str:
    """The entity tag of a version."""
    return f'"{version}"'


def set_etag(response: Response, version: int) -> None:
    """Send the version along as ETag."""
    response.headers["ETag"] = etag(version)


def set_etag_of_content(response: Response, value: Any) -> None:
    """Send an ETag of the whole answer: for objects that show more than their version counts (a session's activity)."""
    response.headers["ETag"] = _etag_of_content(value)


def _etag_of_content(value: Any) -> str:
    text = json.dumps(as_wire(value), sort_keys=True, default=str)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def must_match_content(if_match: str, value: Any) -> None:
    """Refuse (412) a change if If-Match has no ETag of the object as it is shown."""
    if not _if_match.fullmatch(if_match):
        raise Malformed('If-Match: send the ETag as it came, with its quotes: "3f2a…"')
    tags = [f'"{tag}"' for weak, tag in _tags.findall(if_match) if not weak]
    if if_match.strip() != "*" and _etag_of_content(value) not in tags:
        raise PreconditionFailed("the object changed since that ETag")


def unless_the_same(request: Request, response: Response) -> Response:
    """304 in place of an answer whose ETag a reader sent as If-None-Match."""
    tag, known = response.headers.get("etag"), request.headers.get("if-none-match")
    if request.method != "GET" or response.status_code != 200 or tag is None or known is None:
        return response
    if known.strip() != "*" and tag not in [f'"{found}"' for _, found in _tags.findall(known)]:
        return response
    return Response(status_code=304, headers={"ETag": tag})


class AnyVersion(list[int]):
    """`If-Match: *`: every version of what is there, and none of what is not. In SQL it is `{0}` (the function `matches`)."""

    def __init__(self) -> None:
        super().__init__([0])

    def __contains__(self, version: object) -> bool:
        return True


async def if_match(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description='write only if the ETag is still this one, as in `"3"`; `*`: only if it is there',
            json_schema_extra={"pattern": IF_MATCH},
            examples=['"3"'],
        ),
    ] = None,
) -> list[int] | None:
    """The versions that If-Match allows; None when it asks for nothing."""
    if if_match is None:
        return None
    if not _if_match.fullmatch(if_match):
        raise Malformed('If-Match: send the ETag as it came, with its quotes: "3"')
    if if_match.strip() == "*":
        return AnyVersion()
    return [_version(weak, tag) for weak, tag in _tags.findall(if_match)]


def _version(weak: str, tag: str) -> int:
    """A tag that is not one of ours, and a weak one, match no version, which is what -1 says."""
    if weak or not (tag.isascii() and tag.isdigit() and len(tag) < 10):
        return -1
    return int(tag) or -1  # versions start at 1, and 0 stands for any


IfMatch = Annotated[list[int] | None, Depends(if_match)]

IfContentMatches = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="write only if the ETag is still this one, as it came with its quotes; `*`: any",
        json_schema_extra={"pattern": IF_MATCH},
        examples=['"1a40d8318ea551b0bec51609eb0cdc99"'],
    ),
]
"""For objects whose ETag is of their content: see `must_match_content`."""
