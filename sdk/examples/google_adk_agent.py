"""A Google ADK agent that remembers across sessions. Needs HOLDFAST_URL and HOLDFAST_API_KEY (a service key).

The model answers from a script, so that this runs without a network; use a real one by its name: `Agent(model="gemini-…")`.
"""

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.load_memory_tool import load_memory_tool
from google.genai.types import Content, FunctionCall, Part

from holdfast_client import AsyncClient
from holdfast_client.google_adk import HoldfastMemoryService


class Scripted(BaseLlm):
    """Looks into memory when it is asked a question, and reads out what it found."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            found = last.function_response.response["result"].memories
            part = Part(text="You told me: " + found[0].content.parts[0].text)
        elif last.text.endswith("?"):
            part = Part(function_call=FunctionCall(name="load_memory", args={"query": last.text}))
        else:
            part = Part(text="Noted.")
        yield LlmResponse(content=Content(role="model", parts=[part]))


async def main() -> None:
    async with AsyncClient() as client:
        memory = HoldfastMemoryService(client)
        sessions = InMemorySessionService()
        agent = Agent(name="tea", model=Scripted(model="scripted"), tools=[load_memory_tool])
        runner = Runner(
            agent=agent, app_name="tea", session_service=sessions, memory_service=memory
        )

        async def say(session_id: str, text: str) -> str:
            message = Content(role="user", parts=[Part(text=text)])
            async for event in runner.run_async(
                user_id="ana", session_id=session_id, new_message=message
            ):
                if event.is_final_response():
                    answer = event.content.parts[0].text
            return answer

        await sessions.create_session(app_name="tea", user_id="ana", session_id="monday")
        await say("monday", "I take my tea green, without sugar.")
        monday = await sessions.get_session(app_name="tea", user_id="ana", session_id="monday")
        await memory.add_session_to_memory(monday)

        await sessions.create_session(app_name="tea", user_id="ana", session_id="tuesday")
        answer = await say("tuesday", "How do I take my tea?")
        print(answer)
        assert answer == "You told me: I take my tea green, without sugar."


asyncio.run(main())
