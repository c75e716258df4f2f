"""What happens around every API operation, in this order: who asks, how often, the body, once or again, the answer."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from holdfast.edge import preconditions
from holdfast.edge.json_body import read_body, read_json
from holdfast.edge.problems import (
    MAX_LISTED,
    MAX_NAME_CHARS,
    as_holdfast_error,
    not_allowed,
    problem,
    request_id_of,
)
from holdfast.kernel import auth, idempotency, rates, replica, time_limit, tracing
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    AgentNotFound,
    CsrfRefused,
    FieldError,
    HoldfastError,
    Invalid,
    Malformed,
    NotFound,
    ScopeDenied,
)
from holdfast.kernel.ids import is_client_id
from holdfast.kernel.limits import MAX_BODY_BYTES
from holdfast.kernel.usage import Usage

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Refuse = Callable[[HoldfastError, Request], Response]

COOKIE = "holdfast_session"
# Anyone may send these, so they stay small.
MAX_OPEN_BODY_BYTES = 64 * 1024
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Operations that change nothing although they are sent by POST.
READING_VERBS = frozenset(
    {"recall", "search", "context", "get", "read", "hydrate", "validate", "diff"}
)
# Parts of paths that clients choose, and those that are text of theirs, of which its face says what is wrong.
CLIENT_NAMES = frozenset({"workspace_id", "project_id", "user_id", "agent_id", "session_id"})
TEXTS = frozenset({"key"})


# Dependencies are coroutines although they wait for nothing: FastAPI would run plain functions in a thread.
async def the_caller(request: Request) -> Caller:
    """Who is asking."""
    caller: Caller = request.state.identified.caller
    return caller


async def the_database(request: Request) -> Database:
    """The database of this app."""
    db: Database = request.app.state.db
    return db


TheCaller = Annotated[Caller, Depends(the_caller)]
TheDatabase = Annotated[Database, Depends(the_database)]


class OpenRoute(APIRoute):
    """An operation without a credential: a small body, and every failure a problem."""

    def get_route_handler(self) -> Handler:
        """The operation, wrapped."""
        answer = super().get_route_handler()
        query_names = set(_query_names(self.dependant))

        async def handle(request: Request) -> Response:
            try:
                _check_query(request, query_names)
                await read_json(request, MAX_OPEN_BODY_BYTES)
                with time_limit.one_call():
                    return await answer(request)
            except Exception as error:  # every failure gets a reply
                return problem(as_holdfast_error(error), request_id_of(request))

        return handle


class ApiRoute(APIRoute):
    """An operation for a known caller."""

    # An operation that streams its own body says so and keeps its own cap.
    reads_its_own_body = False
    # The cap of a body. One that is streamed is read whole only where it must be compared, under an Idempotency-Key.
    body_limit = MAX_BODY_BYTES
    # An answer that shows a secret is not kept for a replay: a secret is kept nowhere.
    keeps_answers = True
    # Whether its work in the database grows with what is sent: it may then take any time while the database answers.
    database_work_grows = False
    # Query parameters that its clients send to everyone, and that say nothing here.
    ignored_query: frozenset[str] = frozenset()
    # Fields of the body that are lists of a batch: the operation checks each item by itself (`check_strings`).
    batch_fields: frozenset[str] = frozenset()
    # Whether fields sent to an operation that has no body are refused; other services' clients may send some.
    refuses_unknown_fields = True
    # What an operation does before the transaction that an Idempotency-Key opens around it: asking a model, say.
    prepare: Callable[[Request], Awaitable[None]] | None = None

    def claims(self, request: Request) -> auth.Claims:
        """What a request says about who is asking."""
        return claims_of(request)

    def refuse(self, error: HoldfastError, request: Request) -> Response:
        """The reply to a failure."""
        return problem(error, request_id_of(request))

    def get_route_handler(self) -> Handler:
        """The operation, wrapped."""
        answer = super().get_route_handler()
        query_names = set(_query_names(self.dependant)) | self.ignored_query
        # PUT of /agents/{agent_id} and the like: what is named there is being made, so a wrong name is wrong input.
        [*names] = self.param_convertors
        chosen_name = names[0] if self.methods == {"PUT"} and len(names) == 1 else None
        has_body = self.body_field is not None or "requestBody" in (self.openapi_extra or {})
        takes_no_fields = self.refuses_unknown_fields and not has_body

        async def checked(request: Request) -> Response:
            await _identify(request, self.claims(request))
            _check_method(request)
            _check_names(request, chosen_name)
            _check_query(request, query_names)
            if not self.reads_its_own_body:
                await read_json(request, MAX_BODY_BYTES, self.batch_fields)
                if takes_no_fields and request.method not in SAFE_METHODS:
                    _check_no_fields(getattr(request, "_json", None))
            key = request.headers.get("idempotency-key")
            if key is not None and self.keeps_answers and request.method in ("POST", "PUT"):
                request._body = await read_body(request, self.body_limit)
                with _observed(request, self.operation_id or self.name):
                    if self.prepare is not None and not await _is_answered(request, key):
                        await self.prepare(request)
                    return await _answer_once(request, key, answer, self.refuse)
            with _observed(request, self.operation_id or self.name) as is_write:
                if is_write:
                    return await answer(request)
                return await replica.reading(request.app.state.db, lambda: answer(request))

        async def handle(request: Request) -> Response:
            try:
                with time_limit.one_call(grows=self.database_work_grows):
                    return preconditions.unless_the_same(request, await checked(request))
            except Exception as error:  # every failure gets a reply
                return self.refuse(as_holdfast_error(error), request)

        return handle


class StreamingApiRoute(ApiRoute):
    """An operation that reads its own body, under a cap of its own."""

    reads_its_own_body = True
    body_limit = 128 * 1024 * 1024
    database_work_grows = True


class SecretApiRoute(ApiRoute):
    """An operation whose answer shows a secret."""

    keeps_answers = False


def fixed_paths(prefix: str, routers: Iterable[APIRouter]) -> dict[str, frozenset[str]]:
    """The paths that have no part to fill in, each with the methods that it takes."""
    methods: dict[str, frozenset[str]] = {}
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute) and not route.param_convertors:
                path = f"{prefix}{route.path}"
                methods[path] = methods.get(path, frozenset()) | frozenset(route.methods or ())
    return methods


def claims_of(request: Request) -> auth.Claims:
    """What a request says about who is asking."""
    headers = request.headers
    key = headers.get("x-api-key")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        key = token.strip()
    return auth.Claims(
        key=key,
        cookie=request.cookies.get(COOKIE),
        user=headers.get("holdfast-user"),
        workspace=headers.get("holdfast-workspace"),
        request_id=request_id_of(request),
    )


async def _identify(request: Request, claims: auth.Claims) -> None:
    db: Database = request.app.state.db
    identified = await auth.identify(db, claims)
    request.state.identified = identified
    request.scope["holdfast.caller"] = identified.caller
    session = identified.session
    if (
        session is not None
        and request.method not in SAFE_METHODS
        and request.headers.get("x-csrf-token") != session.csrf_token
    ):
        raise CsrfRefused("send the csrf_token of the session as X-CSRF-Token")
    if identified.caller.read_only and request.method not in SAFE_METHODS:
        raise ScopeDenied(
            "this token may only read: it takes GET and HEAD, and MCP tools that read"
        )
    if identified.requests_per_minute is not None:
        await rates.count_request(db, identified.caller, identified.requests_per_minute)


@contextmanager
def _observed(request: Request, operation_id: str) -> Iterator[bool]:
    """Trace an operation, and count it for its org; whether it changes something."""
    verb = operation_id.rpartition(".")[2].removesuffix("_post")
    is_write = request.method not in SAFE_METHODS and verb not in READING_VERBS
    usage = request.app.state.db.services.get(Usage)
    org_id = request.state.identified.caller.org_id
    with (
        tracing.operation(operation_id, request.path_params),
        usage.call(org_id, operation_id, is_write=is_write),
    ):
        yield is_write


def _check_no_fields(body: Any) -> None:
    """Refuse what an operation without a body would drop: a guard that belongs into the query, say."""
    if body is None or body == {}:
        return
    if not isinstance(body, dict):
        raise Invalid.field("body", "this operation has no body")
    names = [name[:MAX_NAME_CHARS] for name in list(body)[:MAX_LISTED]]
    message = "there is no such field: this operation has no body"
    raise Invalid(
        f"{', '.join(names[:5])}: {message}", [FieldError(name, message) for name in names]
    )


def _check_method(request: Request) -> None:
    """The name of a fixed path is no id: PUT /memory-resources/schema is not the making of a resource `schema`."""
    methods = request.app.state.fixed_paths.get(request.scope["path"])
    if methods is not None and request.method not in methods:
        raise not_allowed(methods)


def _check_names(request: Request, chosen_name: str | None) -> None:
    """A malformed name in a path names nothing: it is not there, like any other that is not."""
    caller: Caller = request.state.identified.caller
    for name, value in request.path_params.items():
        if name == "agent_id":
            caller.speaking_as(value)  # MEM-001 where the key is another agent's
        if name == chosen_name or name in TEXTS or _may_be_there(name, value):
            continue
        error = AgentNotFound if name == "agent_id" else NotFound
        raise error(f"there is no such {name.removesuffix('_id')}")


def _may_be_there(name: str, value: str) -> bool:
    return is_client_id(value) if name in CLIENT_NAMES else "\0" not in value


def _check_query(request: Request, known: set[str]) -> None:
    """A typo in a filter would widen the answer in silence: refuse it."""
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise Malformed.field(name, "there is no such query parameter")
        if name in CLIENT_NAMES and not is_client_id(value):
            raise Malformed.field(name, "is 1 to 128 of A-Z a-z 0-9 _ . : @ -")
        if "\0" in value:
            raise Malformed.field(name, "may not contain U+0000")


def _query_names(dependant: Dependant) -> Iterator[str]:
    for param in dependant.query_params:
        yield param.alias
    for below in dependant.dependencies:
        yield from _query_names(below)


async def _is_answered(request: Request, key: str) -> bool:
    """Whether an answer is kept under the key, so that nothing needs to be prepared."""
    return await idempotency.is_answered(**_under(request, key))


def _under(request: Request, key: str) -> dict[str, Any]:
    """What a key belongs to, and where answers are kept."""
    return {
        "db": request.app.state.db,
        "caller": request.state.identified.caller,
        "method": request.method,
        "path": request.url.path,
        "query": request.url.query,
        "key": key,
    }


async def _answer_once(request: Request, key: str, answer: Handler, refuse: Refuse) -> Response:
    kept = idempotency.once(**_under(request, key), body=await request.body())
    async with kept as attempt:
        if attempt.first is not None:
            return _replayed(attempt.first, request, refuse)
        try:
            response = await answer(request)
        except Exception as error:  # a refusal is kept as an answer, a failure is not
            refusal = as_holdfast_error(error)
            if refusal.status >= 500:
                raise refusal from error
            response = refuse(refusal, request)
        attempt.answer = idempotency.Answer(
            status=response.status_code,
            headers=dict(response.headers),
            body=bytes(response.body),
        )
    return response


def _replayed(first: idempotency.Answer, request: Request, refuse: Refuse) -> Response:
    if first.is_erased:
        gone = NotFound("what this request was answered with has been erased")
        response = refuse(gone, request)
    else:
        response = Response(first.body, first.status, first.headers)
    response.headers["Idempotency-Replayed"] = "true"
    return response


__all__ = [
    "COOKIE",
    "ApiRoute",
    "OpenRoute",
    "SecretApiRoute",
    "StreamingApiRoute",
    "TheCaller",
    "TheDatabase",
    "claims_of",
    "fixed_paths",
]
