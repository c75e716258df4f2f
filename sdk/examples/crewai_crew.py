"""A CrewAI crew whose memory is in Holdfast. Needs HOLDFAST_URL and HOLDFAST_API_KEY.

The model answers from a script, so that this runs without a network; use a real one: `LLM(model="…")`.
"""

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

from holdfast_client import Client
from holdfast_client.crewai import HoldfastMemory


class Scripted(BaseLLM):
    """Answers from what the crew put into the prompt; extracts one memory from the output of a task."""

    def call(self, messages, *args, **options):
        prompt = str(messages)
        if "extract discrete" in prompt:
            return '{"memories": ["The shop ordered two kilos of green tea."]}'
        known = "green" if "takes her tea green" in prompt else "any"
        return f"Thought: I know enough.\nFinal Answer: Buy {known} tea."


with Client() as client:
    llm = Scripted(model="scripted")
    memory = HoldfastMemory(client.scope(user="ana"), llm=llm)
    memory.remember("Ana takes her tea green, without sugar.", scope="/customers/ana")

    buyer = Agent(role="Buyer", goal="Buy what customers like", backstory="Knows tea", llm=llm)
    task = Task(description="Which tea does Ana like?", expected_output="One line", agent=buyer)
    crew = Crew(agents=[buyer], tasks=[task], memory=memory)
    answer = crew.kickoff().raw
    print(answer)
    assert answer == "Buy green tea."

    # What the crew learned from its own work is in memory too.
    assert memory.recall("how much tea was ordered?", limit=1)[0].record.content == (
        "The shop ordered two kilos of green tea."
    )
