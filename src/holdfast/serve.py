"""`holdfast serve`: everything on one machine. The engine, the schema, the API, the worker; and all of it down again."""

import asyncio
import json
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address

import structlog
import uvloop

from holdfast import __version__
from holdfast.api import SHUTDOWN_GRACE_S, run_api
from holdfast.bootstrap import FirstCredentials, bootstrap, mint_local_key
from holdfast.deployment import Config, config_of
from holdfast.engine import Engine
from holdfast.kernel import logs
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.local import LocalService, find_service, note_service
from holdfast.settings import Settings
from holdfast.supervisor import Role, Supervisor
from holdfast.worker import keep_working

log = structlog.get_logger("holdfast.serve")

Say = Callable[[str], None]

# After a request's own time, for what follows the last answer.
STOP_WITHIN_S = SHUTDOWN_GRACE_S + 10


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """Where the service asks, and where migrations run."""

    app: str
    owner: str


def serve(settings: Settings, *, as_json: bool = False) -> None:
    """Run until SIGTERM or SIGINT; returns once everything is down."""
    logs.configure(settings.log_level)
    allow_open_files(settings.max_connections)
    say: Say = (lambda _: None) if as_json else _say
    uvloop.run(_serve(settings, say=say, as_json=as_json))


def allow_open_files(connections: int) -> None:
    """Raise this process's limit of open files to what that many connections need, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 1024
    if soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))


async def _serve(settings: Settings, *, say: Say, as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        # A second signal sets what is set already: it does not cut the shutdown short.
        loop.add_signal_handler(number, stop.set)

    listener = _listen(settings.host, settings.port)
    async with _database(settings, say) as urls:
        say("Bringing the schema up to date …")
        await asyncio.to_thread(migrate, urls.owner)
        first, local_key = await _credentials(settings, urls)
        config = _app_config(settings, urls)
        with listener, _shared_metrics(settings.processes):
            async with _service(config, listener, settings):
                url = _url(settings.host, listener)
                if local_key is not None:
                    note_service(settings.data_dir, LocalService(url, local_key, os.getpid()))
                if not stop.is_set():
                    _announce(url, first, as_json=as_json)
                await stop.wait()
                say("Stopping: finishing what was begun …")
    say("Stopped.")


# --- the parts, each with its own way down ---------------------------------------------------------------------------


@asynccontextmanager
async def _database(settings: Settings, say: Say) -> AsyncIterator[DatabaseUrls]:
    """A Postgres by URL, or the embedded one, for as long as the block lasts."""
    if settings.database_url is not None:
        yield DatabaseUrls(settings.database_url, settings.migration_url or settings.database_url)
        return
    say(f"Starting the embedded Postgres in {settings.data_dir} …")
    engine = Engine(settings.data_dir)
    try:
        endpoints = await asyncio.to_thread(engine.start)
        engine.watch(lambda _: log.warning("the database died and was started again"))
        yield DatabaseUrls(endpoints.app_url, endpoints.owner_url)
    finally:
        await asyncio.to_thread(engine.stop)


@asynccontextmanager
async def _service(
    config: Config, listener: socket.socket, settings: Settings
) -> AsyncIterator[None]:
    """The HTTP API and, unless it runs elsewhere, the worker: in this process, or in children that are started again
    when they end."""
    roles = [Role("API", run_api, (config, listener))] * settings.processes
    if settings.worker:
        roles.append(Role("worker", keep_working, (config,)))
    if settings.processes == 1:
        async with AsyncExitStack() as parts:
            for role in roles:
                await parts.enter_async_context(_in_process(role))
            yield
        return
    async with Supervisor(roles, log_level=settings.log_level, stop_within_s=STOP_WITHIN_S):
        yield


@asynccontextmanager
async def _in_process(role: Role) -> AsyncIterator[None]:
    """A role in a task of this process, stopped when the block ends."""
    ready, stop = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(role.run(ready.set, stop, *role.args))
    starting = asyncio.create_task(ready.wait())
    await asyncio.wait({task, starting}, return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    if task.done():
        task.result()  # raises what kept it from starting
    try:
        yield
    finally:
        stop.set()
        await task


@contextmanager
def _shared_metrics(processes: int) -> Iterator[None]:
    """Where several processes put their numbers together."""
    if processes == 1:
        yield
        return
    folder = tempfile.mkdtemp(prefix="holdfast-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- the first start, and what is said -------------------------------------------------------------------------------


async def _credentials(
    settings: Settings, urls: DatabaseUrls
) -> tuple[FirstCredentials | None, str | None]:
    """The first org's credentials, on the first start; and the key of this data folder's own command line."""
    async with Database(urls.app, min_size=1, max_size=1).opened() as db:
        first = await bootstrap(
            db,
            urls.owner,
            key=settings.bootstrap_key,
            email=settings.owner_email,
            password=settings.owner_password,
        )
        if settings.database_url is not None:
            return first, None
        noted = find_service(settings.data_dir)
        return first, noted.key if noted else await mint_local_key(db, urls.owner)


def _app_config(settings: Settings, urls: DatabaseUrls) -> Config:
    secure = settings.cookie_secure
    return replace(
        config_of(settings, urls.app),
        cookie_secure=not _is_loopback(settings.host) if secure is None else secure,
        on_loopback=_is_loopback(settings.host),
    )


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket, taken before anything is started: a port in use is said at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio turns Nagle's algorithm off only where it is: without that, a reply in two
    # parts waits 40 ms for the client to acknowledge the first. (uvloop does not look.)
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SystemExit(
            f"holdfast: cannot listen on {host}:{port}: {error.strerror}. Choose another with --port."
        ) from None
    listener.listen(2048)
    listener.setblocking(False)
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _url(host: str, listener: socket.socket) -> str:
    """Where it answers, for one who is on this machine."""
    if host in ("0.0.0.0", "::"):  # noqa: S104  (compared, not bound)
        host = "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _announce(url: str, first: FirstCredentials | None, *, as_json: bool) -> None:
    console = f"{url}/" if first is None else f"{url}/sign-in?link={first.link_token}"
    if as_json:
        ready = {"url": url, "console_url": console, "mcp_url": f"{url}/mcp", "pid": os.getpid()}
        if first is not None:
            ready["api_key"] = first.api_key
        print(json.dumps(ready), flush=True)
        return
    _say(f"\nHoldfast {__version__} is ready at {url}  (docs: {url}/docs)")
    if first is None:
        _say(
            "This data folder has its org and keys already; `holdfast keys create` makes another key."
        )
    else:
        _say(
            f"\n  your key, shown this once:  {first.api_key}"
            f"\n  sign in once at:            {console}"
            f"\n\nA first memory, to paste:"
            f"\n  {_first_call(url, first.api_key, 'memories', TEA)}"
            f"\n  {_first_call(url, first.api_key, 'recall', QUESTION)}"
        )
    _say("\nCtrl-C stops it.")


TEA = '{"key": "tea", "value": "Ana takes her tea green"}'
QUESTION = '{"query": "what does Ana drink?"}'


def _first_call(url: str, api_key: str, path: str, body: str) -> str:
    headers = f"-H 'Authorization: Bearer {api_key}' -H 'Content-Type: application/json'"
    return f"curl -s {url}/api/v1/{path} {headers} -d '{body}'"


def _say(text: str) -> None:
    print(text, file=sys.stdout, flush=True)
