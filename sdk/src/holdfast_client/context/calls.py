"""The operations on what crosses faces: the context of a prompt."""

from holdfast_client.calls import Call, ask, get, one
from holdfast_client.context.model import Context, ConversationName, MemoryPolicy, UserMemory
from holdfast_client.scope import Scope
from holdfast_client.values import UNSET, given


def assemble(
    scope: Scope,
    message: str,
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    message_id: str | None = None,
    memory_policy: MemoryPolicy | None = None,
    conversation: ConversationName | None = None,
    max_tokens: int | None = None,
    model: str | None = None,
) -> Call[Context]:
    """What to put in a prompt for `message`: user memory, reminders, the agent's entries, the conversation.

    Agent and session are the client's own unless others are named. With a session and a `message_id`, asking again gives
    the reminders that the turn got at first.
    """
    body = given(
        message=message,
        agent_id=agent_id or scope.agent,
        session_id=session_id or scope.session,
        message_id=message_id,
        memory_policy=memory_policy or UNSET,
        conversation=conversation,
        max_tokens=max_tokens,
        model=model,
    )
    return ask(scope, "/context", one(Context), body)


def read_user_memory(scope: Scope, *, agent_id: str | None = None) -> Call[UserMemory]:
    """The core blocks as the model reads them; the same bytes until the memory changes."""
    query = {"agent_id": agent_id or scope.agent}
    return get(scope, "/context/user-memory", one(UserMemory), query)
