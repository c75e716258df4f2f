"""OAuth over HTTP: what applications read and call. The page that asks a person is the console's (console/routes/consent.py)."""

import json
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse

from holdfast.access.oauth import service
from holdfast.access.oauth.model import SCOPES, OAuthError, check_resource, register
from holdfast.edge.base_url import WELL_KNOWN, base_url
from holdfast.edge.json_body import read_body
from holdfast.edge.problems import as_holdfast_error, problem, request_id_of
from holdfast.kernel import time_limit

MAX_OAUTH_BODY_BYTES = 65_536
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OAuthRoute(APIRoute):
    """A route whose errors are those of OAuth."""

    def get_route_handler(self) -> Handler:
        """The route's function, wrapped."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                with time_limit.one_call():
                    return await answer(request)
            except OAuthError as error:
                body = {"error": error.error, "error_description": error.description}
                status = 401 if error.error == "invalid_client" else 400
                return JSONResponse(body, status, headers=NO_STORE)
            except Exception as error:  # every failure gets a reply
                return problem(as_holdfast_error(error), request_id_of(request))

        return handle


router = APIRouter(route_class=OAuthRoute, include_in_schema=False)


@router.get(WELL_KNOWN)
@router.get(f"{WELL_KNOWN}/mcp")
@router.get(f"{WELL_KNOWN}/mcp/agents/{{agent_id}}")
async def protected_resource(request: Request, agent_id: str | None = None) -> dict[str, Any]:
    """Metadata of the resource (RFC 9728): which server gives tokens for it."""
    base = base_url(request)
    agent = "" if agent_id is None else f"/agents/{agent_id}"
    return {
        "resource": f"{base}/mcp{agent}",
        "authorization_servers": [base],
        "scopes_supported": [*SCOPES],
        "bearer_methods_supported": ["header"],
        "resource_name": "Holdfast",
    }


@router.get("/.well-known/oauth-authorization-server")
async def authorization_server(request: Request) -> dict[str, Any]:
    """Metadata of the authorization server (RFC 8414)."""
    base = base_url(request)
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": [*SCOPES],
        "authorization_response_iss_parameter_supported": True,
    }


@router.post("/oauth/register", response_model=None)
async def register_application(request: Request) -> Response:
    """Dynamic registration (RFC 7591), of public clients."""
    body = await read_body(request, MAX_OAUTH_BODY_BYTES)
    try:
        metadata = json.loads(body)
    except (ValueError, RecursionError):
        raise OAuthError("invalid_client_metadata", "the body is not JSON") from None
    application = register(metadata)
    answer = {
        "client_id": application.client_id,
        "client_name": application.name,
        "redirect_uris": [*application.redirect_uris],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(SCOPES),
    }
    return JSONResponse(answer, 201, headers=NO_STORE)


@router.post("/oauth/token", response_model=None)
@router.post(
    "/token", response_model=None
)  # where clients look that kept tokens and lost the metadata
async def token(request: Request) -> Response:
    """A code or a refresh token into tokens."""
    form, db = await _form(request), request.app.state.db
    resource = form.get("resource")
    if resource is not None:
        resource = check_resource(resource, base_url(request))
    match form.get("grant_type"):
        case "authorization_code":
            tokens = await service.exchange(
                db,
                _must(form, "code"),
                client_id=_must(form, "client_id"),
                redirect_uri=_must(form, "redirect_uri"),
                verifier=_must(form, "code_verifier"),
                resource=resource,
            )
        case "refresh_token":
            tokens = await service.refresh(
                db,
                _must(form, "refresh_token"),
                client_id=_must(form, "client_id"),
                resource=resource,
            )
        case _:
            raise OAuthError(
                "unsupported_grant_type", "grant_type: authorization_code or refresh_token"
            )
    return JSONResponse(tokens.as_json, headers=NO_STORE)


@router.post("/oauth/revoke", response_model=None)
async def revoke(request: Request) -> Response:
    """End the grant of a token (RFC 7009)."""
    await service.revoke(request.app.state.db, _must(await _form(request), "token"))
    return Response(status_code=200, headers=NO_STORE)


async def _form(request: Request) -> dict[str, str]:
    """The form of a request; a field that is there twice is refused."""
    body = await read_body(request, MAX_OAUTH_BODY_BYTES)
    try:
        fields = parse_qs(body.decode(), max_num_fields=100)
    except ValueError:
        raise OAuthError("invalid_request", "the body is not a form") from None
    if twice := [name for name, values in fields.items() if len(values) > 1]:
        raise OAuthError("invalid_request", f"{twice[0]} is there twice")
    return {name: values[0] for name, values in fields.items()}


def _must(form: dict[str, str], name: str) -> str:
    if not form.get(name):
        raise OAuthError("invalid_request", f"{name} is missing")
    return form[name]
