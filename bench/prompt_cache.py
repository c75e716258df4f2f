"""Which share of the prompts of a 20-turn conversation a provider's prefix cache could reuse.

A provider reuses what a prompt has in common with an earlier one, from its beginning up to the first token that differs. Each
turn asks for a context and renders it with `to_openai`; memories are recalled for every message, one of them is learned in the
middle, and once a core block changes.
"""

import json
from typing import Any

from bench.harness import Bench, console
from holdfast.kernel.tokens import tokenizer_for
from holdfast_client import AsyncClient

TURNS = 20
FACTS = [
    f"Ana's {thing} is {value}."
    for thing, value in (
        ("dog", "called Rex"),
        ("favourite tea", "sencha"),
        ("home", "in Lisbon"),
        ("work", "at a bakery"),
        ("sister", "called Joana"),
        ("bike", "green"),
        ("doctor", "Dr. Alves"),
        ("car", "a small Fiat"),
    )
]
ASKED = [
    "What is my dog called?",
    "Which tea do I like?",
    "Where do I live?",
    "What is my sister called?",
    "Which colour is my bike?",
]
ANSWER = (
    "Here is what I know about that, and a few words more so that an answer has a usual length. "
    * 3
)


async def run(bench: Bench) -> None:
    """Print the share of every turn's prompt, and of all prompts together."""
    async with AsyncClient(bench.url, bench.key) as client:
        await client.directory.put_agent("bot")
        ana = client.scope(user="ana", agent="bot", session="talk")
        core = "\n".join(f"Fact {n} that every agent should know about Ana." for n in range(15))
        block = await ana.blocks.write("core", core, expected_updated_at=None)
        for fact in FACTS:
            await ana.remember(fact)
        prompts = []
        for turn in range(TURNS):
            said = f"{ASKED[turn % len(ASKED)]} (turn {turn})"
            if turn == TURNS // 2:
                await ana.blocks.write(
                    "core", f"{core}\nOne more.", expected_updated_at=block.updated_at
                )
            context = await ana.context(said, message_id=f"m{turn}")
            prompts.append(_text(context.to_openai(said)))
            await _append(bench, said)
    _print(prompts)


async def _append(bench: Bench, said: str) -> None:
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": ANSWER}]
    body = {"key": "talk", "messages": messages, "session_id": "talk"}
    headers = {"Holdfast-User": "ana"}
    reply = await bench.http.post("/conversations/sessions/append", json=body, headers=headers)
    reply.raise_for_status()


def _text(messages: list[dict[str, Any]]) -> str:
    """A prompt as one text, in the order in which a provider reads it."""
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in messages)


def _print(prompts: list[str]) -> None:
    count = tokenizer_for(None).count
    total = reused = 0
    for turn, prompt in enumerate(prompts):
        tokens = count(prompt)
        shared = max((_common(prompt, earlier) for earlier in prompts[:turn]), default=0)
        cached = count(prompt[:shared])
        total += tokens
        reused += cached
        console.print(f"turn {turn + 1:2}: {tokens:5} tokens, {cached / tokens:4.0%} reusable")
    console.print(
        f"all {TURNS} turns: {reused / total:.0%} of {total} prompt tokens could come from a prefix cache"
    )


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
