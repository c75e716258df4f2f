"""A context put together: how often it waits for the database."""

from statistics import median

from holdfast.blocks import service as blocks
from holdfast.context.model import ConversationName, MemoryPolicy
from holdfast.context.service import Ask, assemble
from holdfast.conversations import service as conversations
from holdfast.conversations.backends import Backends
from holdfast.conversations.instances import InstanceRequest as Conversation
from holdfast.entries import service as entries
from holdfast.entries.model import NewEntry
from holdfast.memories.model import NewMemory
from holdfast.memories.saving import save_memory
from holdfast.stores.entries import create_entry
from holdfast.stores.service import create_store
from tests.round_trips import counted

PARTS = 5  # user memory, reminders, recalled, entries, messages
ARCHIVE = "Drinks sencha in the morning\nHas a dog called Rex"
TALK = ConversationName("sessions", "talk")


async def fill(db, caller):
    """A user with something in every part."""
    where = blocks.place_of(caller, None, None)
    for block_type, content in (("core", "likes tea"), ("archival", ARCHIVE)):
        await blocks.write_block(db, caller, where, block_type, content, expected_updated_at=None)
    await entries.store(db, caller, "bot", NewEntry("k", "a fact"))
    await conversations.append(Backends(db), caller, Conversation("sessions", "talk"), "hello")
    dog = NewMemory({"key": "the dog", "value": "The dog is called Rex and is nine"})
    await save_memory(db, caller, dog)
    store = await create_store(db, caller, "pets")
    await create_entry(db, caller, store.id, "dog.md", "The dog is called Rex")


async def test_a_context_takes_at_most_one_round_trip_for_each_of_its_parts(service, org):
    caller = org.caller()
    auto = MemoryPolicy(archival_mode="auto")
    async with counted(service.app_url) as (db, between):
        await fill(db, caller)
        ask = Ask(message="what is the dog called?", agent_id="bot", policy=auto, conversation=TALK)
        taken, backends = [], Backends(db)  # one per process
        for _ in range(12):  # on every connection of the pool, until its statements are prepared
            before = between.count
            context = await assemble(backends, caller, ask)
            taken.append(between.count - before)
    assert context.user_memory.content
    assert context.entries
    assert context.messages
    assert {each.kind for each in context.recalled} == {"memory", "store_entry"}
    assert [each.content for each in context.system_reminders] == ["Has a dog called Rex"]
    assert median(taken) <= PARTS
