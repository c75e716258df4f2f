"""`client.wrap(OpenAI(), user=…, session=…)`: a provider's client whose model calls read and write memory.

Before a call, the context of the last user message (docs/context.md) is put into the prompt; a call that carries only the new
message also gets the earlier messages of the session. After it, the new messages and the reply are appended to
`sessions/{session}`, streamed replies too. The wrapped client has every attribute of the provider's; these calls are changed:

OpenAI, AsyncOpenAI          chat.completions.create, responses.create
Anthropic, AsyncAnthropic    messages.create, messages.stream

A failure of memory does not fail the model call: it is logged, unless `strict=True`. No provider's package is imported.
"""

from holdfast_client.wrap.proxy import wrap, wrap_async

__all__ = ["wrap", "wrap_async"]
