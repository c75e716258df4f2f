"""Imports point one way. Read from the source, so that an import inside a function counts too.

kernel          nobody but itself
engine          nobody but itself
edge            kernel
a face          kernel; its routes.py and tools.py also edge
context, …      what crosses faces: kernel, the faces' services and the recall over all of them; its routes.py and tools.py also edge; and the SDK's
                renderer, so that a prompt is written by one and the same code on both sides
anthropic_api,  somebody else's API over our faces: kernel, edge and the faces' services
 mem0_api
app, serve, …   everybody: they put the rooms together
cli             a command is a client (the SDK) or an administrator (the services), never both; no routes
sdk             the standard library and httpx; nothing of holdfast
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC, SDK = ROOT / "src", ROOT / "sdk" / "src"

# Rooms that are no faces. Any other folder of src/holdfast is one, and held to a face's rules.
CROSSING = {"context", "erasure", "exchange", "learning", "unified_recall"}
# Somebody else's API over our faces: all of it speaks to the outside.
SURFACES = {"anthropic_api", "mem0_api"}
OTHER_ROOMS = {
    "backup",
    "kernel",
    "engine",
    "edge",
    "cli",
    "console",
    "embedded",
    "hooks",
    "walls",
    *CROSSING,
    *SURFACES,
}
ROOMS = {path.name for path in (SRC / "holdfast").iterdir() if (path / "__init__.py").exists()}
FACES = ROOMS - OTHER_ROOMS

RENDERER = "holdfast_client.context.rendering"
WORDS = {"routes", "tools"}  # the files of a room that speak to the outside
PLAIN = {"holdfast", "holdfast.__version__"}  # what anyone may know
CLIENT_COMMANDS_MAY_USE = ("holdfast.cli.", "holdfast.local.")

# Modules of the SDK for a framework, each with the packages of its extra.
SDK_EXTRAS: dict[str, set[str]] = {
    "holdfast_client.anthropic_memory.commands": {"anthropic"},
    "holdfast_client.anthropic_memory.folder": {"anthropic"},
    "holdfast_client.anthropic_memory.tool": {"anthropic"},
    "holdfast_client.crewai": {"crewai"},
    "holdfast_client.google_adk": {"google"},
    "holdfast_client.langchain": {"langchain_core"},
    "holdfast_client.langgraph.items": {"langgraph"},
    "holdfast_client.langgraph.operations": {"langgraph"},
    "holdfast_client.langgraph.ranking": {"langchain_core", "langgraph"},
    "holdfast_client.langgraph.store": {"langgraph"},
    "holdfast_client.openai_agents": {"agents"},
    "holdfast_client.pydantic_ai.conversations": {"pydantic", "pydantic_ai"},
    "holdfast_client.pydantic_ai.memory": {"pydantic_ai"},
}


def modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def imports_of(name: str, source: str, *, is_package: bool = False) -> set[str]:
    """Every module that a source imports, and every name it imports from one, in full."""
    found: set[str] = set()
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def room_of(name: str) -> str:
    """The room a module of holdfast belongs to; "" for the files that put the rooms together."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def allowed_rooms(name: str) -> set[str] | None:
    """The rooms that a module may import from besides its own; None: any."""
    room = room_of(name)
    speaks = bool(WORDS & set(name.split(".")[2:]))
    if room in ("kernel", "engine"):
        return set()
    if room == "edge":
        return {"kernel"}
    if room in FACES:
        return {"kernel", "edge"} if speaks else {"kernel"}
    if room in SURFACES:
        return {"kernel", "edge", *FACES}
    if room in CROSSING:
        return {"kernel", "unified_recall", *FACES, *({"edge"} if speaks else ())}
    return None


def offences(name: str, imported: set[str]) -> list[str]:
    """The imports of a module that point the wrong way."""
    ours = {each for each in imported if each.split(".")[0] == "holdfast"}
    client = {each for each in imported if each.split(".")[0] == "holdfast_client"}
    allowed = allowed_rooms(name)
    wrong: set[str] = set()
    if allowed is not None:
        wrong |= {each for each in ours if _beyond(name, each, allowed)}
        shared = {each for each in client if room_of(name) == "context" and each == RENDERER}
        wrong |= client - shared  # only what stands outside the service is its client
    if room_of(name) in CROSSING | SURFACES:
        wrong |= {each for each in ours if room_of(each) in FACES and _speaks(each)}
    if room_of(name) == "cli":
        wrong |= {each for each in ours if _speaks(each) or each.startswith("holdfast.app")}
        if (
            client
        ):  # a client command: nothing of the server but the note that names a local service
            wrong |= {each for each in ours if not each.startswith(CLIENT_COMMANDS_MAY_USE)}
    return sorted(wrong)


def _beyond(name: str, imported: str, allowed: set[str]) -> bool:
    return imported not in PLAIN and room_of(imported) not in {room_of(name), *allowed}


def _speaks(imported: str) -> bool:
    return room_of(imported) != "" and bool(WORDS & set(imported.split(".")[2:]))


def _source_imports(name: str, path: Path) -> set[str]:
    return imports_of(name, path.read_text(), is_package=path.name == "__init__.py")


@pytest.mark.parametrize(("name", "path"), [*modules(SRC)], ids=lambda value: str(value))
def test_every_module_of_the_service_imports_in_the_right_direction(name, path):
    assert offences(name, _source_imports(name, path)) == []


@pytest.mark.parametrize(("name", "path"), [*modules(SDK)], ids=lambda value: str(value))
def test_the_sdk_needs_the_standard_library_and_httpx_and_nothing_of_the_service(name, path):
    roots = {each.split(".")[0] for each in _source_imports(name, path)}
    known = {*sys.stdlib_module_names, "holdfast_client", "httpx"}
    assert roots - known <= SDK_EXTRAS.get(name, set())


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("holdfast.kernel.db", "from holdfast.directory import projects", ["holdfast.directory.projects"]),
        ("holdfast.kernel.db", "import holdfast.edge.wire", ["holdfast.edge.wire"]),
        ("holdfast.kernel.db", "def f():\n    from holdfast import app", ["holdfast.app"]),
        ("holdfast.kernel.db", "from .. import directory", ["holdfast.directory"]),
        ("holdfast.directory.projects", "from holdfast.access import keys", ["holdfast.access.keys"]),
        ("holdfast.directory.projects", "from holdfast.edge.wire import Body", ["holdfast.edge.wire.Body"]),
        ("holdfast.directory.projects", "import holdfast_client", ["holdfast_client"]),
        ("holdfast.directory.projects", "from holdfast.worker import handlers", ["holdfast.worker.handlers"]),
        ("holdfast.directory.routes", "from holdfast.edge.wire import Body", []),
        ("holdfast.directory.routes", "from holdfast.access import keys", ["holdfast.access.keys"]),
        ("holdfast.edge.site", "from holdfast import __version__", []),
        ("holdfast.edge.site", "from holdfast.access import keys", ["holdfast.access.keys"]),
        ("holdfast.app", "from holdfast.directory import routes", []),
        ("holdfast.cli.admin", "from holdfast.directory import projects", []),
        ("holdfast.cli.admin", "from holdfast.directory import routes", ["holdfast.directory.routes"]),
        (
            "holdfast.cli.agents",
            "from holdfast_client import Client\nfrom holdfast.directory import projects",
            ["holdfast.directory.projects"],
        ),
    ],
)  # fmt: skip
def test_the_rule_notices_what_points_the_wrong_way(name, source, wrong):
    assert offences(name, imports_of(name, source)) == wrong
