"""The operations of the context: what to put in a prompt, from every face."""

from holdfast_client.calls import Call, ask, get, one
from holdfast_client.context.model import (
    Context,
    ConversationName,
    MemoryPolicy,
    RecallPolicy,
    UserMemory,
)
from holdfast_client.scope import Scope
from holdfast_client.values import UNSET, given


def assemble(
    scope: Scope,
    message: str,
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    message_id: str | None = None,
    run_id: str | None = None,
    memory_policy: MemoryPolicy | None = None,
    recall: RecallPolicy | None = None,
    conversation: ConversationName | None = None,
    max_tokens: int | None = None,
    model: str | None = None,
) -> Call[Context]:
    """What to put in a prompt for `message`: user memory, reminders, what recall finds, the agent's entries (with `run_id`
    the run's too), the conversation.

    Agent and session are the client's unless the call names others. Without a `conversation` the messages are those of the
    session. With a session and a `message_id`, a later call for the same message returns the reminders and recalled texts
    of the first one.
    """
    body = given(
        message=message,
        agent_id=agent_id or scope.agent,
        session_id=session_id or scope.session,
        message_id=message_id,
        run_id=run_id,
        memory_policy=memory_policy or UNSET,
        recall=recall or UNSET,
        conversation=conversation,
        max_tokens=max_tokens,
        model=model,
    )
    return ask(scope, "/context", one(Context), body)


def read_user_memory(scope: Scope, *, agent_id: str | None = None) -> Call[UserMemory]:
    """The core blocks as one text for the prompt; the same bytes until a block changes."""
    query = {"agent_id": agent_id or scope.agent}
    return get(scope, "/context/user-memory", one(UserMemory), query)
