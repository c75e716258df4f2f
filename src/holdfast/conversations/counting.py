"""Token counts of messages: by the bundled tokenizer, or, where a resource says so, by the provider's own endpoint."""

import math
from collections.abc import Sequence

import httpx

from holdfast.conversations.model import TokenizerUsed
from holdfast.conversations.resources.config import Resource, TokenProvider
from holdfast.conversations.resources.token_access import TokenAccess, endpoint_of
from holdfast.kernel import durations
from holdfast.kernel.tls import trusted_certificates
from holdfast.kernel.tokens import Tokenizer

OVERHEAD = 2  # what a message costs beside its content and its role
CHARS_PER_TOKEN = 4  # the estimate, where a resource asks for one


class Counter:
    """Counts the tokens of a resource's messages."""

    def __init__(self, resource: Resource, access: TokenAccess) -> None:
        self._provider = given = resource.token_provider
        self._local = resource.tokenizer
        self._key = None
        if given.provider != "local":
            self._key = access.key(given.provider, given.endpoint, given.api_key_env)

    async def count_messages(self, messages: Sequence[tuple[str, str]]) -> list[int]:
        """Content + role + 2, for each (role, content)."""
        contents = await self._contents([content for _, content in messages])
        return [
            tokens + self.role(role) + OVERHEAD
            for (role, _), tokens in zip(messages, contents, strict=True)
        ]

    def role(self, role: str) -> int:
        """The tokens of a role's name."""
        return self._local.count(role)

    @property
    def local(self) -> Tokenizer:
        """The bundled tokenizer."""
        return self._local

    @property
    def used(self) -> TokenizerUsed:
        """What counts, and whether it is a fallback."""
        if self._provider.provider == "local":
            return TokenizerUsed(self._local.encoding, self._local.fallback)
        if self._key is not None:
            return TokenizerUsed(self._provider.provider, False)
        if self._provider.fallback == "estimate":
            return TokenizerUsed("estimate", True)
        return TokenizerUsed(self._local.encoding, True)

    async def _contents(self, texts: list[str]) -> list[int]:
        if self._provider.provider != "local" and self._key is not None:
            try:
                return await _ask(self._provider, self._key, texts)
            except (httpx.HTTPError, ValueError, LookupError, TypeError):
                pass  # the fallback counts: an append does not fail because the provider does
        if self._provider.provider != "local" and self._provider.fallback == "estimate":
            return [math.ceil(len(text) / CHARS_PER_TOKEN) for text in texts]
        return await self._local.count_all(texts)


async def _ask(provider: TokenProvider, key: str, texts: list[str]) -> list[int]:
    """The provider's count of each text."""
    counts, base = [], endpoint_of(provider.provider, provider.endpoint)
    async with httpx.AsyncClient(
        timeout=durations.seconds(provider.settings.timeout),
        trust_env=False,
        verify=trusted_certificates(),
        follow_redirects=False,
    ) as client:
        for text in texts:
            if not text:
                counts.append(0)
                continue
            if provider.provider == "anthropic":
                response = await client.post(
                    f"{base}/v1/messages/count_tokens",
                    json={"model": provider.model, "messages": [{"role": "user", "content": text}]},
                    headers={"x-api-key": key, "anthropic-version": "2023-06-01"},
                )
            else:
                response = await client.post(
                    f"{base}/v1/responses/input_tokens",
                    json={"model": provider.model, "input": text},
                    headers={"Authorization": f"Bearer {key}"},
                )
            response.raise_for_status()
            counts.append(int(response.json()["input_tokens"]))
    return counts
