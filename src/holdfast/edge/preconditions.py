"""ETag and If-Match: an object's version, as HTTP speaks of it."""

from typing import Annotated

from fastapi import Depends, Header, Response

from holdfast.kernel.errors import Malformed


def etag(version: int) -> str:
    """The entity tag of a version."""
    return f'"{version}"'


def set_etag(response: Response, version: int) -> None:
    """Send the version along as ETag."""
    response.headers["ETag"] = etag(version)


async def if_match(
    if_match: Annotated[
        str | None, Header(description='write only if the ETag is still this one, as in `"3"`')
    ] = None,
) -> list[int] | None:
    """The versions that If-Match allows; None when it asks for nothing (or for `*`, any version)."""
    if if_match is None or if_match.strip() == "*":
        return None
    return [_version(tag.strip()) for tag in if_match.split(",")]


def _version(tag: str) -> int:
    """A tag that is not one of ours matches no version, which is what -1 says."""
    if not (len(tag) >= 2 and tag[0] == tag[-1] == '"') and not tag.startswith('W/"'):
        raise Malformed('If-Match: send the ETag as it came, with its quotes: "3"')
    digits = tag.strip('"')
    # Weak tags never match a strong comparison.
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


IfMatch = Annotated[list[int] | None, Depends(if_match)]
