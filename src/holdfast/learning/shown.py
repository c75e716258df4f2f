"""What memory holds about some messages, for an extractor that reads it: recall by the messages' words, and the lines of core.

Looked up under the caller's own sight, outside of any transaction but a short one that only reads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from holdfast.blocks.model import RecalledLine
from holdfast.conversations.privacy import Redactor
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import AgentNotFound
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import MAX_QUERY_CHARS, Kind
from holdfast.learning import run as learning_run
from holdfast.learning.facts import Held
from holdfast.learning.known import line_id, place_of
from holdfast.learning.model import KnownFact, Message
from holdfast.learning.privacy import masked_texts
from holdfast.learning.recording import Origin
from holdfast.learning.rules import poison
from holdfast.learning.rules.text import fold
from holdfast.learning.stems import stems
from holdfast.memories.model import Memory
from holdfast.unified_recall import recall

Shown = Mapping[str, Held]
"""What an extractor was shown, as it was held then, by the ids that it was given."""

MAX_SHOWN = 40
"""How many facts are looked up for one reading."""
PER_MESSAGE = 20
"""How many rows recall gives for one message."""
MAX_SHOWN_CHARS = 400
"""So much of a fact is shown."""
BEFORE_CHARS = 200
"""A message is looked up together with so much of the end of the one before it: "so make it 200" says little by itself. With it, 22
instead of 18 of 30 facts that change in ten spaces of data/memchat are among the first 14, beside 200 facts of other people (this and the
order below were chosen on these 30)."""
RANK_BASE = 3
"""A fact gains 1 / (RANK_BASE + place) for each message that recall finds it for."""
KINDS: tuple[Kind, ...] = ("memory", "node_item", "entry", "block_line")


async def look_up(
    db: Database, caller: Caller, messages: Sequence[Message], context: Sequence[Message]
) -> Shown:
    """What is held about what the user says in `messages`, the likeliest to matter first: rows by recall and lines of core in turn."""
    try:
        things = await _recalled(db, caller, _queries(messages, context))
    except AgentNotFound:  # the write registers it: nothing is held for it yet
        return await look_up(db, replace(caller, agent_id=None), messages, context)
    async with db.read(caller) as tx:
        run = await learning_run.open_run(db, tx, caller, Origin(None), only_reads=True)
        lines = {each.known.id: each for each in await run.knowledge.lines()}
        rows = {each.known.id: each for each in await run.knowledge.rows(things)}
    found = [held for each in things if (held := (rows | lines).get(_id_of(each))) is not None]
    core = _by_words(lines.values(), messages)
    both = chain.from_iterable(zip_longest(filter(_is_the_users, found), core))
    shown = {each.known.id: each for each in both if each is not None}
    return dict(list(shown.items())[:MAX_SHOWN])


async def as_known(shown: Shown, *redactors: Redactor) -> list[KnownFact]:
    """Held facts as a model may read them: masked like messages, cut, with when they were said."""
    texts = await masked_texts([each.content for each in shown.values()], *redactors)
    return [
        KnownFact(name, " ".join(text.split())[:MAX_SHOWN_CHARS], said_at=held.said_at)
        for (name, held), text in zip(shown.items(), texts, strict=True)
    ]


def _queries(messages: Sequence[Message], context: Sequence[Message]) -> list[str]:
    """What to look up: the words of each message of the user, behind the end of the message before it."""
    before = ["", *(each.content for each in context[-1:])]
    queries = []
    for message in messages:
        words = message.content.strip()
        if message.role == "user" and words:
            queries.append(f"{before[-1][-BEFORE_CHARS:]} {words}".strip()[:MAX_QUERY_CHARS])
        before.append(message.content)
    return list(dict.fromkeys(queries))


async def _recalled(db: Database, caller: Caller, queries: Sequence[str]) -> list[object]:
    """What recall finds for these, ranked over all of them."""
    things: dict[str, object] = {}
    gained: dict[str, float] = {}
    for query in queries:
        ask = Ask(query=query, kinds=KINDS, limit=PER_MESSAGE)
        found = await recall.recall(db, caller, place_of(caller), ask)
        for place, each in enumerate(found.data):
            things[each.id] = each.object
            gained[each.id] = gained.get(each.id, 0.0) + 1 / (RANK_BASE + place)
    ranked = sorted(things, key=lambda each: -gained[each])
    return [things[each] for each in ranked if not _gives_orders(things[each])]


def _gives_orders(thing: object) -> bool:
    """Whether a memory that rests on a tool's or an imported text gives orders about memory: no model reads it."""
    return (
        isinstance(thing, Memory)
        and thing.trust in ("tool", "import")
        and bool(poison.find_orders(fold(thing.value)))
    )


def _is_the_users(held: Held) -> bool:
    """Entries that an agent has for everybody are not one user's to replace."""
    return held.place != "entry" or held.scope == "user"


def _id_of(thing: object) -> str:
    if isinstance(thing, RecalledLine):
        return line_id(thing.agent_id, thing.block_type, thing.content)
    return str(getattr(thing, "id", ""))


def _by_words(lines: Iterable[Held], messages: Sequence[Message]) -> list[Held]:
    """The lines of core, those first that share words with what the user says."""
    own = [each.content[:MAX_QUERY_CHARS] for each in messages if each.role == "user"]
    said = frozenset().union(*map(stems, own))
    core = [each for each in lines if each.block_type == "core"]
    return sorted(core, key=lambda each: -len(stems(each.content) & said))
