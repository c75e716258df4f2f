"""What happens at an event, through the client."""

import hashlib
import re
from pathlib import Path

from holdfast.hooks.agents import Happened
from holdfast.hooks.texts import last_reply, marked, unmarked
from holdfast_client.client import Client
from holdfast_client.errors import AgentNotFound, HoldfastError, NotFound

RECALLED = 6
MAX_TOKENS = 1500
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.:@-]+")


def given_text(client: Client, agent: str, happened: Happened) -> str:
    """What the model shall read at a start or a prompt; "" for nothing."""
    memory = _scoped(client, agent, happened)
    try:
        return _found(memory, happened)
    except (NotFound, AgentNotFound):  # nothing was written yet for this agent or session
        return _found(client, happened)


def _found(memory: Client, happened: Happened) -> str:
    if happened.event == "prompt":
        hits = memory.recall(happened.prompt[:4000], limit=RECALLED, max_tokens=MAX_TOKENS)
        return marked([f"- {hit.text}" for hit in hits.data])
    project = project_root(happened.cwd).name
    found = memory.context(f"What matters for work on {project}", max_tokens=MAX_TOKENS)
    notes = [f"{each.key}: {each.content}" for each in found.entries]
    return marked([found.user_memory.content, *notes, *(each.text for each in found.recalled)])


def store(client: Client, agent: str, happened: Happened) -> None:
    """Write what an event says: the prompt or the reply into the session, or settle it. Names the project first."""
    if happened.event == "start":
        _name_project(client, happened.cwd)
        return
    memory = _scoped(client, agent, happened)
    session = session_id(agent, happened.session)
    if happened.event == "settle":
        try:
            memory.sessions.settle(session)
        except NotFound:
            return  # nothing was said
        return
    role, text = "user", happened.prompt
    if happened.event == "stop":
        role, text = "assistant", happened.reply
        if not text and happened.transcript is not None:
            text = last_reply(happened.transcript)
    text = unmarked(text)
    if text:
        memory.sessions.append([{"role": role, "content": text}], session_id=session)


def session_id(agent: str, session: str) -> str:
    """The session's id, as ours may be written."""
    return _NOT_IN_IDS.sub("-", f"{agent}:{session}")[:128]


def project_root(cwd: Path) -> Path:
    """The root of the repository that a folder is in, else the folder itself."""
    for folder in (cwd, *cwd.parents):
        if (folder / ".git").exists():
            return folder
    return cwd


def project_id(cwd: Path) -> str:
    """The id of the project: the name of its root, and a digest of its path, since names repeat."""
    root = project_root(cwd.absolute())
    digest = hashlib.sha256(str(root).encode()).hexdigest()[:8]
    return f"{_NOT_IN_IDS.sub('-', root.name)[:100] or 'root'}-{digest}"


def _scoped(client: Client, agent: str, happened: Happened) -> Client:
    project = project_id(happened.cwd)
    try:
        client.directory.read_project(project)
    except HoldfastError:
        return client.scope(agent=agent, session=session_id(agent, happened.session))
    return client.scope(agent=agent, session=session_id(agent, happened.session), project=project)


def _name_project(client: Client, cwd: Path) -> None:
    try:
        client.directory.read_project(project_id(cwd))
    except NotFound:
        client.directory.put_project(
            project_id(cwd), name=project_root(cwd.absolute()).name, visibility="private"
        )
