"""demo: fills an org with the conversations of an invented person, for a look around."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.options import ApiKey, AsJson, Url, User
from holdfast.cli.output import console, for_people, print_json
from holdfast.cli.remote import Remote
from holdfast_client.calls import Call, Reply, at, get, patch, post, put
from holdfast_client.errors import Conflict

AGENT, RESOURCE, STORE = "assistant", "demo", "Notes of the demo"
# In a wheel the conversations lie in the package, in a checkout at the root.
FOLDERS = (
    Path(__file__).parents[1] / "demo_data",
    Path(__file__).parents[3] / "data" / "memchat" / "spaces",
)
IMPORTANCE = {"instruction": 9, "identity": 8, "decision": 7, "preference": 6, "relation": 6}
MAX_CORE_LINES, MAX_CORE_CHARS, MAX_ARCHIVE_CHARS = 20, 4_000, 8_000


class Step(NamedTuple):
    """One part of the filling."""

    name: str
    run: Callable[[], None]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    space: Annotated[str, typer.Option(help="Which conversations.")] = "assistant-04",
    user: User = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Fill the org with the conversations of an invented person and what is known from them. Running it again adds nothing twice.

    Example: holdfast demo
    """
    filling = Filling(Remote(url, api_key, user=user), read_space(space))
    steps = [
        Step("memories", filling.memories),
        Step("graph", filling.graph),
        Step("blocks", filling.blocks),
        Step("entries", filling.entries),
        Step("store", filling.store),
        # Last: what is learned from them is compared with what is there.
        Step("conversations", filling.conversations),
    ]
    if not for_people(as_json=as_json):
        for step in steps:
            step.run()
        print_json(filling.counts)
        return
    from rich.progress import track

    for step in track(steps, description="Filling", console=console(), transient=True):
        step.run()
    made = ", ".join(f"{count} {name}" for name, count in filling.counts.items())
    console().print(f"There are now {made}. Look at them in the console, or:")
    console().print('  holdfast recall "how should I write to Morag?"')


def read_space(name: str) -> dict[str, Any]:
    """The conversations of a name; CommandError where there are none such."""
    known = {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.json"))}
    if name not in known:
        raise CommandError(f"there is no {name!r}; there are {', '.join(sorted(known))}")
    space: dict[str, Any] = json.loads(known[name].read_text())
    return space


class Filling:
    """Writes a space through the API; what is there already stays."""

    def __init__(self, service: Remote, space: dict[str, Any]) -> None:
        self._service, self._space = service, space
        self._memories: dict[
            str, str
        ] = {}  # the id of the memory of each fact, by its first evidence
        self.counts: dict[str, int] = {}

    def conversations(self) -> None:
        """Every session as a conversation, in a resource that is small enough to flush."""
        resource = {
            "resource": "memory",
            "id": RESOURCE,
            "type": "token_based",
            "max_tokens": 400,
            "persistence": {"type": "postgres"},
        }
        self._send(put, at("memory-resources", RESOURCE), resource)
        for session in self._space["sessions"]:
            name = f"{self._space['name']}-{session['id']}"
            # Without a session: nothing more is learned from what the facts of the space say already.
            body = {"key": name, "messages": [*self._messages(session)]}
            self._send(post, f"/conversations/{RESOURCE}/append", body)
        self.counts["conversations"] = len(self._space["sessions"])

    def memories(self) -> None:
        """Every fact, with the words that it is known from."""
        for number, fact in enumerate(self._space["facts"], start=1):
            session = fact["evidence"][0].split(":")[0]
            body = {
                "key": f"{_name(fact).lower()}: {fact['kind']} {number}",
                "value": fact["fact"],
                "category": fact["kind"],
                "tags": [_name(fact)[:64]],
                "importance": IMPORTANCE.get(fact["kind"], 5),
                "pinned": fact["kind"] == "instruction",
                "source": "demo",
                "session_id": f"{self._space['name']}-{session}",
                "valid_from": f"{self._date(session)}:00Z",
                "sources": [self._source(evidence) for evidence in fact["evidence"]],
            }
            saved = self._send(post, "/memories", body)
            self._memories[fact["evidence"][0]] = saved["id"]
        for fact in self._space["facts"]:
            replaced = self._memories.get(fact["supersedes"] or "")
            successor = self._memories[fact["evidence"][0]]
            if replaced is not None and replaced != successor:
                body = {"superseded_by": successor}
                self._send(patch, at("memories", replaced) + "?include_expired=true", body)
        self.counts["memories"] = len(self._space["facts"])

    def graph(self) -> None:
        """Those that the facts are about, with what is known of each, linked where one is mentioned with another."""
        by_name: dict[str, list[dict[str, Any]]] = {}
        for fact in self._space["facts"]:
            by_name.setdefault(_name(fact), []).append(fact)
        nodes = {name: self._node(name, facts) for name, facts in by_name.items()}
        for name, other in _mentions(by_name):
            body = {"from": nodes[name], "to": nodes[other], "relation": "mentioned with"}
            self._send(post, "/memory-nodes/edges", body)
        self.counts["nodes"] = len(nodes)

    def blocks(self) -> None:
        """Who the person is in the core block, the rest in the archive."""
        facts = self._space["facts"]
        own = [f["fact"] for f in facts if f["kind"] in ("identity", "instruction", "preference")]
        self._block("core", _fitting(own[:MAX_CORE_LINES], MAX_CORE_CHARS))
        rest = [f["fact"] for f in facts if f["fact"] not in own]
        self._block("archival", _fitting(rest, MAX_ARCHIVE_CHARS))
        self.counts["blocks"] = 2

    def entries(self) -> None:
        """What the agent keeps between runs: how to work for this person."""
        kept = [f for f in self._space["facts"] if f["kind"] in ("instruction", "decision", "plan")]
        for number, fact in enumerate(kept, start=1):
            body = {"content": fact["fact"], "tags": [fact["kind"]], "scope": "user"}
            key = f"{fact['kind']}-{number:02}"
            self._send(put, at("agents", AGENT, "entries", key), body)
        self.counts["entries"] = len(kept)

    def store(self) -> None:
        """A note for each session; the first is written twice, so that there is a difference to see."""
        found = self._send(get, f"/memory_stores?name={STORE.replace(' ', '%20')}")["data"]
        self.counts["notes"] = len(self._space["sessions"])
        if found:
            return
        about = "What was said, session by session"
        store = self._send(post, "/memory_stores", {"name": STORE, "description": about})["id"]
        for session in self._space["sessions"]:
            lines = [f"# {session['date'][:10]}", "", *_notes(self._space, session["id"])]
            path = f"sessions/{session['date'][:10]}.md"
            body = {"path": path, "content": "\n".join(lines[:4]) + "\n"}
            entry = self._send(post, at("memory_stores", store, "memories"), body)
            again = {"content": "\n".join(lines) + "\n", "version": 1}
            if again["content"] != body["content"]:
                self._send(put, at("memory_stores", store, "memories", entry["id"]), again)

    # --- parts of them -----------------------------------------------------------------------------------------------

    def _send(self, build: Any, path: str, body: dict[str, Any] | None = None) -> Any:
        def call(scope: Any) -> Call[Any]:
            built: Call[Any] = (
                build(scope, path, _json) if body is None else build(scope, path, _json, body)
            )
            return built

        return self._service.fetch(call)

    def _messages(self, session: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for number, turn in enumerate(session["turns"], start=1):
            is_assistant = turn["speaker"] == "assistant"
            yield {
                "id": f"{self._space['name']}-{session['id']}-{number}",
                "role": "assistant" if is_assistant else "user",
                "content": turn["text"],
            }

    def _source(self, evidence: str) -> dict[str, str]:
        session, number = evidence.split(":")
        turns = next(s["turns"] for s in self._space["sessions"] if s["id"] == session)
        ref = f"{self._space['name']}-{session}-{number}"
        return {"kind": "message", "ref": ref, "quote": turns[int(number) - 1]["text"][:2_000]}

    def _date(self, session_id: str) -> str:
        return next(str(s["date"]) for s in self._space["sessions"] if s["id"] == session_id)

    def _node(self, name: str, facts: list[dict[str, Any]]) -> str:
        items = [
            {"content": f["fact"], "source": "demo", "memory_id": self._memories[f["evidence"][0]]}
            for f in facts
        ]
        body = {"name": name, "kind": _kind(name), "items": items}
        try:
            return str(self._send(post, "/memory-nodes", body)["id"])
        except Conflict as conflict:  # made by an earlier demo
            return str(_field(conflict.current, "id"))

    def _block(self, kind: str, content: str) -> None:
        body = {"content": content, "expected_updated_at": None}
        try:
            self._send(put, at("memory", "blocks", kind), body)
        except Conflict:  # there is one: it stays
            return


def _json(reply: Reply) -> Any:
    return reply.json()


def _field(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)


def _kind(name: str) -> str:
    if re.search(r"\b(Vets|Clinic|Hospital|Equine|Practice)\b", name):
        return "organisation"
    return "person" if name.istitle() else "topic"


def _name(fact: dict[str, Any]) -> str:
    about = str(fact["about"])
    return "You" if about == "user" else about


def _mentions(by_name: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, str]]:
    """Pairs of names of which one stands in what is known of the other."""
    for name, facts in by_name.items():
        said = " ".join(fact["fact"] for fact in facts)
        for other in by_name:
            pattern = r"\buser" if other == "You" else rf"\b{re.escape(other)}"
            if other != name and re.search(pattern, said, re.IGNORECASE):
                yield name, other


def _notes(space: dict[str, Any], session_id: str) -> Iterator[str]:
    for fact in space["facts"]:
        if any(evidence.startswith(f"{session_id}:") for evidence in fact["evidence"]):
            yield f"- {fact['fact']}"


def _fitting(lines: list[str], limit: int) -> str:
    """As many of the lines as fit."""
    kept = ""
    for line in lines:
        if len(kept) + len(line) + 1 <= limit:
            kept += f"{line}\n"
    return kept.rstrip("\n")
