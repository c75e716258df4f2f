"""Prompt in, text out: a protocol, and a provider for any endpoint that speaks OpenAI's chat completions.

One HTTP call is all that a summary needs, so this is httpx and no framework. Never on the path of an acknowledgement: only
jobs call it. What goes wrong is an `LlmError` that says what, without a word of the prompt.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import httpx

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com/v1"
TIMEOUT_S = 60.0


class LlmError(Exception):
    """The model did not answer, or not with anything of use. For whoever asked it to say in the product's words."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, and the tokens it took."""

    text: str
    tokens: int


class Llm(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The model, as the settings name it."""
        ...

    async def complete(self, system: str, prompt: str, *, max_tokens: int) -> Completion:
        """Answer a prompt; LlmError when there is no answer."""
        ...


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """A model behind `POST {base_url}/chat/completions`."""

    model: str
    base_url: str = OPENAI_URL
    api_key: str | None = None
    timeout_s: float = TIMEOUT_S

    @property
    def name(self) -> str:
        """The model, as the provider calls it."""
        return self.model

    async def complete(self, system: str, prompt: str, *, max_tokens: int) -> Completion:
        """Answer a prompt; LlmError when there is no answer."""
        body = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt},
            ],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            async with httpx.AsyncClient(timeout=self.timeout_s, trust_env=False) as client:
                response = await client.post(
                    f"{self.base_url.rstrip('/')}/chat/completions", json=body, headers=headers
                )
        except httpx.HTTPError as error:
            raise LlmError(f"the model cannot be reached: {type(error).__name__}") from None
        if response.status_code != 200:
            raise LlmError(f"the model answered with status {response.status_code}")
        return _completion(response)


def _completion(response: httpx.Response) -> Completion:
    try:
        answer: Any = response.json()
        text = answer["choices"][0]["message"]["content"]
        tokens = int((answer.get("usage") or {}).get("total_tokens") or 0)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise LlmError("the model's answer is not a chat completion") from None
    if not isinstance(text, str) or not text.strip():
        raise LlmError("the model answered with nothing")
    # What the database could not keep goes out here: U+0000, and surrogates that stand alone.
    fit = text.strip().replace("\x00", "").encode(errors="replace").decode()
    return Completion(fit, tokens)


def open_llm(model: str | None, base_url: str | None, api_key: str | None) -> Llm | None:
    """The model of the settings (`openai:gpt-4o-mini`, `anthropic:…`, or any name with a base URL); None without one."""
    if model is None:
        return None
    provider, colon, name = model.partition(":")
    if not colon or provider not in ("openai", "anthropic"):
        provider, name = "openai", model
    # Anthropic's endpoint speaks chat completions too.
    own = ANTHROPIC_URL if provider == "anthropic" else OPENAI_URL
    return ChatCompletions(name, base_url or own, api_key)
