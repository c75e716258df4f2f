"""Records every call of a language model, failed ones too, and refuses calls that could exceed an org's daily token cap.

A call is recorded before it is made with the most tokens it may use, so that concurrent calls cannot exceed the cap
together, and afterwards with what it used. Days are UTC. Prompts and answers are not stored.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from holdfast.kernel import metrics, tracing
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.ids import new_id
from holdfast.kernel.llm import Completion, Llm, LlmError
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.kernel.tokens import tokenizer_for

queries = load(__file__, "ledger.sql")

# What a provider counts around two messages, and a little more: its tokenizer may not be the one that counts here.
AROUND = 32

CallStatus = Literal["running", "succeeded", "failed"]


class CapReached(LlmError):
    """The call was not made, since it could have exceeded the org's daily cap."""


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One call: purpose, model, tokens, outcome. While it runs, `tokens` is the most that it may use."""

    id: str
    kind: str
    job_id: str | None
    model: str
    status: CallStatus
    input_tokens: int
    output_tokens: int
    error: str | None
    started_at: Instant
    finished_at: Instant | None
    type: Literal["llm_call"] = "llm_call"


@dataclass(frozen=True, slots=True)
class MeteredLlm:
    """A language model whose calls are recorded in the ledger."""

    db: Database
    llm: Llm

    @property
    def name(self) -> str:
        """The model, as the settings name it."""
        return self.llm.name

    async def complete(
        self,
        caller: Caller,
        kind: str,
        system: str,
        prompt: str,
        *,
        max_tokens: int,
        schema: dict[str, Any] | None = None,
    ) -> Completion:
        """Answer a prompt; LlmError when there is no answer, CapReached when the day's tokens do not suffice for one.

        Not to be called with a transaction open: it takes as long as the model does.
        """
        counts = await tokenizer_for(self.llm.name).count_all([system, prompt])
        sent = sum(counts) + AROUND
        call_id = await self._begin(caller, kind, sent, max_tokens)
        try:
            with tracing.span(
                "chat", gen_ai__operation__name="chat", gen_ai__request__model=self.llm.name
            ) as span:
                completion = await self.llm.complete(
                    system, prompt, max_tokens=max_tokens, schema=schema
                )
                if span is not None:
                    span.set_attribute("gen_ai.usage.input_tokens", completion.input_tokens)
                    span.set_attribute("gen_ai.usage.output_tokens", completion.output_tokens)
        except LlmError as error:
            # Where the provider did not say, what was sent counts: failed calls use up the cap too.
            await self._end(caller, call_id, kind, error.usage or Completion("", sent, 0), error)
            raise
        await self._end(caller, call_id, kind, completion)
        return completion

    async def _begin(self, caller: Caller, kind: str, input_tokens: int, max_tokens: int) -> str:
        call_id = new_id("call")
        job_id = caller.credential_id if caller.credential == "job" else None
        async with self.db.begin(caller) as tx:
            cap = await tx.one(int, queries.lock_cap)
            await tx.run(queries.end_abandoned, job_id=job_id)
            if cap is not None:
                used = await tx.one(int, queries.used_since, since=_day_of(tx.now)) or 0
                if used + input_tokens + max_tokens > cap:
                    metrics.llm_calls.labels(kind, "refused").inc()
                    raise CapReached(
                        f"the org's llm_tokens_per_day is {cap}: {used} are used today, and this call may take "
                        f"{input_tokens + max_tokens}"
                    )
            await tx.run(
                queries.begin_call,
                id=call_id,
                kind=kind,
                job_id=job_id,
                user_id=caller.user_id,
                model=self.llm.name,
                input_tokens=input_tokens,
                output_tokens=max_tokens,
            )
        return call_id

    async def _end(
        self,
        caller: Caller,
        call_id: str,
        kind: str,
        took: Completion,
        error: LlmError | None = None,
    ) -> None:
        status: CallStatus = "succeeded" if error is None else "failed"
        async with self.db.begin(caller) as tx:
            await tx.run(
                queries.end_call,
                id=call_id,
                status=status,
                error=None if error is None else error.detail,
                input_tokens=took.input_tokens,
                output_tokens=took.output_tokens,
            )
        metrics.llm_calls.labels(kind, status).inc()
        metrics.llm_tokens.labels("input").inc(took.input_tokens)
        metrics.llm_tokens.labels("output").inc(took.output_tokens)
        if error is not None:
            metrics.llm_failures.inc()


async def list_calls(
    db: Database,
    caller: Caller,
    cursor: Cursor,
    *,
    status: CallStatus | None = None,
    job_id: str | None = None,
) -> Page[LlmCall]:
    """Calls, newest first: all of the org's for administrators, else those made for the user."""
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            LlmCall,
            queries.list_calls,
            cursor,
            status=status,
            job_id=job_id,
            user_id=caller.user_id,
            all_users=caller.administers,
        )


def _day_of(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
