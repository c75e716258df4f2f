"""A LangGraph agent with LangMem's tools on a HoldfastStore. Needs HOLDFAST_URL and HOLDFAST_API_KEY.

The model answers from a script, so that this runs without a network; use a real one by its name instead of `Scripted()`.
"""

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langmem import create_manage_memory_tool, create_search_memory_tool

from holdfast_client import Client
from holdfast_client.langgraph import HoldfastStore

NAMESPACE = ("memories", "{user}")


class Scripted(BaseChatModel):
    """Manages memory when it is told something, searches it when it is asked."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        last = messages[-1]
        if isinstance(last, ToolMessage):
            known = "You take your tea green." if "tea green" in last.content else "Noted."
            reply = AIMessage(known if last.name == "search_memory" else "Noted.")
        elif last.content.endswith("?"):
            search = {"name": "search_memory", "args": {"query": last.content}, "id": "1"}
            reply = AIMessage("", tool_calls=[search])
        else:
            manage = {"name": "manage_memory", "args": {"content": last.content}, "id": "1"}
            reply = AIMessage("", tool_calls=[manage])
        return ChatResult(generations=[ChatGeneration(message=reply)])


with Client() as client:
    store = HoldfastStore(client, fields=["content"])
    agent = create_agent(
        Scripted(),
        tools=[
            create_manage_memory_tool(namespace=NAMESPACE),
            create_search_memory_tool(namespace=NAMESPACE),
        ],
        store=store,
    )

    def say(user: str, text: str) -> str:
        """One conversation of a user, without the messages of earlier ones."""
        said = {"messages": [{"role": "user", "content": text}]}
        return agent.invoke(said, {"configurable": {"user": user}})["messages"][-1].content

    say("ana", "I take my tea green.")
    answer = say("ana", "How do I take my tea?")
    print(answer)
    assert answer == "You take your tea green."
    assert say("bob", "How do I take my tea?") == "Noted."  # nothing of Ana's
    [item] = store.search(("memories", "ana"))
    assert item.value == {"content": "I take my tea green."}
