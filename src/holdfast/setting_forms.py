"""The forms of settings that are text: a wrong one is refused when the settings are read, before anything is started or made."""

import json
from ipaddress import ip_network
from typing import Annotated, Any
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

from holdfast.kernel import durations

# What the library of object stores opens, but for its stores in memory and behind WebDAV.
ASSET_SCHEMES = ("file", "s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss", "https")
LOG_LEVELS = ("debug", "info", "warning", "error")


def _as_list(value: Any) -> Any:
    """A list as it stands in a variable: JSON, or words with commas between them."""
    if not isinstance(value, str):
        return value
    if not value.lstrip().startswith("["):
        return [word.strip() for word in value.split(",") if word.strip()]
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        raise ValueError('must be JSON, as in ["a", "b"], or words with commas: a, b') from None


def _duration(text: str) -> str:
    durations.seconds(text)
    return text


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}")
    return text.lower()


def _postgres_url(text: str) -> str:
    try:
        conninfo_to_dict(text)
    except ProgrammingError:  # its message repeats the text, which may hold a password
        raise ValueError("must be as in postgresql://user@host:5432/database") from None
    return text


def _redis_url(text: str) -> str:
    if not text.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must be as in redis://host:6379/0, rediss://… or unix://…")
    return text


def _is_http(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an address in brackets that is none
        return False


def _http_url(text: str) -> str:
    if not _is_http(text):
        raise ValueError("must be as in https://host:port/path")
    return text


def _embedder(text: str) -> str:
    if text not in ("local", "none") and not _is_http(text):
        raise ValueError("must be local, none, or a URL as in https://host/v1#model")
    return text


def _assets_url(text: str) -> str:
    scheme, mark, _ = text.partition("://")
    if mark and scheme not in ASSET_SCHEMES:
        raise ValueError("must be a folder, or as in s3://bucket/prefix, gs://… or az://…")
    return text


def _origins(texts: list[str]) -> list[str]:
    if not all(_is_http(text) for text in texts):
        raise ValueError("must be origins, as in https://host:port")
    return texts


def _networks(texts: list[str]) -> list[str]:
    for text in texts:
        try:
            ip_network(text, strict=False)
        except ValueError:
            raise ValueError("must be addresses or networks, as in 10.0.0.0/8") from None
    return texts


Words = Annotated[list[str], NoDecode, BeforeValidator(_as_list)]
Origins = Annotated[Words, AfterValidator(_origins)]
Networks = Annotated[Words, AfterValidator(_networks)]
Duration = Annotated[str, AfterValidator(_duration)]
LogLevel = Annotated[str, AfterValidator(_log_level)]
PostgresUrl = Annotated[str, AfterValidator(_postgres_url)]
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
AssetsUrl = Annotated[str, AfterValidator(_assets_url)]
EmbedderName = Annotated[str, AfterValidator(_embedder)]
