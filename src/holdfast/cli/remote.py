"""How a command reaches the API: by --url and --key, by HOLDFAST_URL and HOLDFAST_API_KEY, or beside a running `serve`."""

from typing import Annotated, Any

import httpx
import typer

from holdfast.kernel.errors import BackendUnavailable, HoldfastError, Invalid, every_error
from holdfast.local import find_service
from holdfast.settings import read_settings

Url = Annotated[
    str | None,
    typer.Option("--url", envvar="HOLDFAST_URL", help="Where the service answers."),
]
Key = Annotated[
    str | None,
    typer.Option("--key", envvar="HOLDFAST_API_KEY", help="The API key.", show_envvar=True),
]

TIMEOUT_S = 60.0


def call(
    url: str | None, key: str | None, method: str, path: str, **request: Any
) -> httpx.Response:
    """One call of the API, `path` under /api/v1; a refusal is raised as the error that it is."""
    url, key = _where(url, key)
    headers = {"Authorization": f"Bearer {key}", **request.pop("headers", {})}
    try:
        response = httpx.request(
            method,
            f"{url.rstrip('/')}/api/v1{path}",
            headers=headers,
            timeout=TIMEOUT_S,
            **request,
        )
    except (httpx.TransportError, httpx.InvalidURL):
        raise BackendUnavailable(
            f"nothing answers at {url}; is `holdfast serve` running?"
        ) from None
    if response.is_error:
        raise _refusal(response)
    return response


def _where(url: str | None, key: str | None) -> tuple[str, str]:
    if url is None or key is None:
        local = find_service(read_settings().data_dir)
        if local is not None and url in (None, local.url):
            return local.url, key or local.key
    if url is None:
        raise Invalid("no service is known: give --url, or set HOLDFAST_URL")
    if key is None:
        raise Invalid("no API key is known: give --key, or set HOLDFAST_API_KEY")
    return url, key


def _refusal(response: httpx.Response) -> HoldfastError:
    """The error of a reply, so that a command ends with the same words and exit code as the API meant."""
    try:
        problem = response.json()
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return BackendUnavailable(f"the answer ({response.status_code}) is not one of Holdfast's")
    kind = next((each for each in every_error() if each.code == code), HoldfastError)
    refusal = kind.__new__(kind)
    HoldfastError.__init__(refusal, detail)
    return refusal
