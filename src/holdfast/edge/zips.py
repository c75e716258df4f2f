"""Zips over HTTP: how the OpenAPI document describes them, and the media type of an answer.

The document names `application/octet-stream` too: code generators know it as bytes, and leave out operations whose body is an
`application/zip`. Any media type is accepted.
"""

from typing import Annotated, Any

from fastapi import Header

ZIP = "application/zip"
OCTETS = "application/octet-stream"

_A_ZIP: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
# For `responses`, and for `openapi_extra`.
ANSWER: dict[str, Any] = {ZIP: _A_ZIP, OCTETS: _A_ZIP}
BODY: dict[str, Any] = {
    "requestBody": {"required": True, "description": "a zip", "content": {OCTETS: _A_ZIP}}
}

Accept = Annotated[str, Header(include_in_schema=False)]


def media_type(accept: str) -> str:
    """The media type for an answer: `application/zip` unless the client only reads octets."""
    return OCTETS if OCTETS in accept.lower() and ZIP not in accept.lower() else ZIP
