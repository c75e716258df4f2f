"""Prompt in, text out: a protocol, and a provider for any endpoint that speaks OpenAI's chat completions.

One HTTP call is all that a summary or an extraction needs, so this is httpx and no framework. Never on the path of an acknowledgement: only
jobs call it, through the ledger (ledger.py). What goes wrong is an `LlmError` that says what, without a word of the prompt.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from holdfast.kernel.tls import trusted_certificates
from holdfast.kernel.tokens import count

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com/v1"
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, and the tokens it took."""

    text: str
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """What it took in all."""
        return self.input_tokens + self.output_tokens


class LlmError(Exception):
    """The model did not answer, or not with anything of use. For whoever asked it to say in the product's words.

    `usage` is what it took all the same, where that is known.
    """

    def __init__(self, detail: str, usage: Completion | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.usage = usage


class Llm(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The model, as the settings name it."""
        ...

    async def complete(
        self, system: str, prompt: str, *, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a prompt; LlmError when there is no answer.

        `schema` is the JSON schema of the answer, for providers with structured output: others ignore it, so validate.
        """
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

    async def complete(
        self, system: str, prompt: str, *, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a prompt; LlmError when there is no answer.

        `schema` is the JSON schema of the answer, for providers with structured output: others ignore it, so validate.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt},
            ],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            async with httpx.AsyncClient(
                timeout=self.timeout_s, trust_env=False, verify=trusted_certificates()
            ) as client:
                response = await client.post(
                    f"{self.base_url.rstrip('/')}/chat/completions", json=body, headers=headers
                )
        except httpx.HTTPError as error:
            raise LlmError(f"the model cannot be reached: {type(error).__name__}") from None
        if response.status_code != 200:
            raise LlmError(f"the model answered with status {response.status_code}")
        # In a thread: where the provider does not say what it took, a long prompt is counted.
        return await asyncio.to_thread(_completion, response, f"{system}\n{prompt}")


def _completion(response: httpx.Response, asked: str) -> Completion:
    try:
        answer: Any = response.json()
        text = answer["choices"][0]["message"]["content"]
        usage = answer.get("usage") or {}
        took = [usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError):
        raise LlmError("the model's answer is not a chat completion") from None
    said = text.strip() if isinstance(text, str) else ""
    completion = Completion(_storable(said), *_usage(took, asked, said))
    if not said:
        raise LlmError("the model answered with nothing", completion)
    return completion


def _usage(took: list[Any], asked: str, said: str) -> tuple[int, int]:
    """Tokens in and out, as the provider counted them; where it does not say, as they are counted here."""
    given, made, total = (n if isinstance(n, int) and n >= 0 else None for n in took)
    if made is None:
        made = count(said) if given is None or total is None else max(0, total - given)
        made = made if total is None else min(made, total)
    if given is None:
        given = count(asked) if total is None else max(0, total - made)
    return given, made


def _storable(text: str) -> str:
    """Without what the database could not keep: U+0000, and surrogates that stand alone."""
    return text.replace("\x00", "").encode(errors="replace").decode()


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
