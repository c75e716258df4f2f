"""Every operation of the OpenAPI document through the three entry points, sync and async: the same calls, the same outcomes."""

import inspect
import io
import zipfile
from datetime import UTC, datetime
from typing import Any

from holdfast.walls.specimens import one_of_everything
from holdfast_client import AsyncClient, Client, HoldfastError
from holdfast_client.entries.model import NewEntry
from tests.contract.test_operation_ids import OPERATIONS, method_of

# Last what takes away what others read.
ORDER = {"GET": 0, "PATCH": 1, "PUT": 2, "POST": 3, "DELETE": 5}
BEFORE_DELETE = {"conversations.delete", "nodes.merge", "stores.archive"}
# These start jobs, which change things at a time of their own.
AT_THE_END = ("memories.extract", "learning.consolidate", "sessions.settle", "erasures.erase")
# As the service key itself; everything else for the user that the specimens are of.
SERVICE_ONLY = ("directory.", "erasures.", "service.")
CONFIG = {
    "resource": "memory",
    "id": "support",
    "type": "message_count_based",
    "max_messages": 4,
    "default_key_template": "session:{{.session_id}}",
    "persistence": {"type": "postgres"},
}


def a_zip() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("tea.md", "Ana takes her tea green")
    return held.getvalue()


def values(named: dict[str, str]) -> dict[str, Any]:
    """An argument for each name of a required parameter."""
    message = {"role": "user", "content": "Remember that Ana takes her tea green."}
    return {
        **named,
        "from_id": named["node_id"],
        "to_id": named["node_id"],
        "into": named["node_id"],
        "query": "tea",
        "message": "Which tea?",
        "content": "Ana takes her tea green",
        "value": "green",
        "text": "green",
        "name": "another",
        "insight": "Ana reads in the evening",
        "path": "tea.md",
        "version": 1,
        "since": datetime(2026, 1, 1, tzinfo=UTC),
        "until": datetime(2100, 1, 1, tzinfo=UTC),
        "messages": [message],
        "memories": [{"key": "batch", "value": "green"}],
        "entries": [NewEntry("batch", "green")],
        "variables": {"session_id": "42"},
        "confirm": True,
        "config": CONFIG,
        "kind": "url",
        "ref": "https://example.com/tea",
        "relation": "knows",
        "ids": [named["proposal_id"]],
        "backup_id": "backup_none",
        "expected_updated_at": None,
    }


def rank(method: str, operation_id: str) -> int:
    if operation_id in AT_THE_END:
        return 6 + AT_THE_END.index(operation_id)
    return 4 if operation_id in BEFORE_DELETE else ORDER[method]


def of_user(operation_id: str) -> bool:
    return operation_id == "directory.read_session" or not operation_id.startswith(SERVICE_ONLY)


def arguments(method: Any, given: dict[str, Any]) -> dict[str, Any]:
    wanted = {
        name: parameter
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
    return {
        name: a_zip() if "bytes" in str(parameter.annotation) else given[name]
        for name, parameter in wanted.items()
    }


async def outcome(client: Client | AsyncClient, operation_id: str, given: dict[str, Any]) -> str:
    """The type of the answer, or the class and code of the refusal."""
    method = method_of(client, operation_id)
    try:
        answer = method(**arguments(method, given))
        answer = await answer if inspect.isawaitable(answer) else answer
    except HoldfastError as error:
        return f"{type(error).__name__} {error.code}"
    return type(answer).__name__


async def test_the_entry_points_do_the_same(make_org, embedded) -> None:
    operations = sorted(
        (rank(method, operation["operationId"]), operation["operationId"])
        for method, _, operation in OPERATIONS
        if not operation["operationId"].startswith("auth.")
    )
    found: dict[str, dict[str, str]] = {}
    for entry_point in ("Client", "AsyncClient", "Holdfast", "AsyncHoldfast"):
        org = await make_org()
        named = await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
        pair = embedded(org.key)
        client: Client | AsyncClient = {
            "Client": lambda org=org: Client(org.url, org.key),
            "AsyncClient": lambda org=org: AsyncClient(org.url, org.key),
            "Holdfast": lambda pair=pair: pair.sync,
            "AsyncHoldfast": lambda pair=pair: pair.awaited,
        }[entry_point]()
        assert type(client).__name__ == entry_point
        ana = client.scope(user="ana", agent="bot", session="talk")
        own = client.scope(agent="bot", session="talk")
        # The embedded application of the tests keeps files apart from the service that made the specimens.
        asset = ana.memories.upload_asset(named["memory_id"], "tea.txt", b"green")
        named["asset_id"] = (await asset if inspect.isawaitable(asset) else asset).id
        found[entry_point] = {
            name: await outcome(
                ana if of_user(name) else own,
                name,
                values(named) | ({"user_id": "ana"} if name == "erasures.erase" else {}),
            )
            for _, name in operations
        }
    first = found["Client"]
    outcomes = {name: {who: each[name] for who, each in found.items()} for name in first}
    assert {name: each for name, each in outcomes.items() if len({*each.values()}) > 1} == {}
    assert not {name: each for name, each in first.items() if "Unexpected" in each}
    refused = {name: each for name, each in first.items() if " " in each}
    assert len(refused) < len(first) / 5, refused
