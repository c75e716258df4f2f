"""A memory resource: the configuration of conversations, validated as a whole.

The forms below check each field alone and describe themselves as JSON Schema; `rules.py` checks what must agree. All that
is wrong is said at once. Every field has its effect: one that would have none is refused.
"""

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from holdfast.conversations.budget import Budget
from holdfast.conversations.keys import check_template
from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM, Strategy
from holdfast.conversations.privacy import (
    MAX_PATTERN_CHARS,
    MAX_PATTERNS,
    Redactor,
    compile_pattern,
)
from holdfast.kernel import durations, tokens
from holdfast.kernel.tokens import Tokenizer

RESOURCE_ID = r"[A-Za-z0-9_-]{1,100}"
BUILT_IN = "sessions"
DEFAULT_THRESHOLD, DEFAULT_SUMMARY_TOKENS, DEFAULT_OLDEST = 0.8, 500, 0.3

# A semantic version, as semver.org has it.
_NUMBER, _WORD = r"(0|[1-9]\d*)", r"[0-9A-Za-z-]+"
SEMVER = rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_WORD}(\.{_WORD})*)?(\+{_WORD}(\.{_WORD})*)?$"


def _duration(text: str) -> str:
    durations.seconds(text)
    return text


def _template(text: str) -> str:
    problem = check_template(text)
    if problem is not None:
        raise ValueError(problem)
    return text


def _pattern(text: str) -> str:
    try:
        compile_pattern(text)
    except ValueError as error:
        raise ValueError(f"is not a pattern that can be used: {error}") from None
    return text


Duration = Annotated[str, StringConstraints(max_length=60), AfterValidator(_duration)]
Proportion = Annotated[float, Field(ge=0, le=1, strict=True)]
PositiveProportion = Annotated[float, Field(gt=0, le=1, strict=True)]
Count = Annotated[int, Field(gt=0, le=10**12, strict=True)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class Form(BaseModel):
    """Nothing unknown, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class TokenAllocation(Form):
    """How max_tokens is divided; the shares add up to 1."""

    short_term: Proportion | None = Field(None, description="Recent messages.")
    long_term: Proportion | None = Field(None, description="Summaries.")
    system: Proportion | None = Field(None, description="System messages.")
    user_defined: dict[Word, Proportion] = Field(
        default_factory=dict, description="Messages with `metadata.allocation: name`."
    )

    @property
    def shares(self) -> dict[str, float]:
        """Every share by name."""
        own = {SHORT_TERM: self.short_term, LONG_TERM: self.long_term, SYSTEM: self.system}
        return {
            **{name: share for name, share in own.items() if share is not None},
            **self.user_defined,
        }


class Flushing(Form):
    """How the list is kept within its limits."""

    type: Strategy = "simple_fifo"
    summarize_threshold: PositiveProportion = Field(
        DEFAULT_THRESHOLD, description="A flush runs when this share of a limit is reached."
    )
    summary_tokens: Count = Field(DEFAULT_SUMMARY_TOKENS, description="The longest summary.")
    summarize_oldest_percent: PositiveProportion = Field(
        DEFAULT_OLDEST, description="Which share of the messages a summary takes the place of."
    )
    fallback: Literal["extractive"] | None = Field(
        None, description="Summarise without a language model where there is none."
    )


class CircuitBreaker(Form):
    """When to stop asking a backend that fails, and for how long."""

    enabled: Annotated[bool, Field(strict=True)] = True
    timeout: Duration = Field("5s", description="The longest a call waits for the backend.")
    max_failures: Annotated[int, Field(gt=0, le=1_000, strict=True)] = 5
    reset_timeout: Duration = Field("10s", description="How long the backend is left alone.")


class Persistence(Form):
    """Where the messages are kept, and for how long after the last write."""

    type: Literal["postgres", "redis", "in_memory"]
    ttl: Duration | None = None
    circuit_breaker: CircuitBreaker | None = None


class PrivacyPolicy(Form):
    """What is redacted, and what is never kept."""

    redact_patterns: list[
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=MAX_PATTERN_CHARS),
            AfterValidator(_pattern),
        ]
    ] = Field(default_factory=list, max_length=MAX_PATTERNS, description="RE2 patterns.")
    non_persistable_message_types: list[Word] = Field(
        default_factory=list, max_length=MAX_PATTERNS, description="Roles or types."
    )
    default_redaction_string: Annotated[str, StringConstraints(max_length=100)] = "[REDACTED]"


class Locking(Form):
    """How long a lock is held at most."""

    append_ttl: Duration = "30s"
    clear_ttl: Duration = "10s"
    flush_ttl: Duration = "5m"


class TokenSettings(Form):
    """How a provider is asked."""

    timeout: Duration = "5s"


class TokenProvider(Form):
    """What counts the tokens."""

    provider: Literal["local", "openai", "anthropic"] = "local"
    model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")] | None = (
        Field(None, description="The environment variable that holds the provider's key.")
    )
    endpoint: Annotated[str, StringConstraints(pattern=r"^https?://\S{1,500}$")] | None = None
    fallback: Literal["local", "estimate"] = "local"
    settings: TokenSettings = Field(default_factory=TokenSettings)


class Resource(Form):
    """A memory resource."""

    resource: Literal["memory"]
    id: Annotated[str, StringConstraints(pattern=rf"^{RESOURCE_ID}$")]
    description: Annotated[str, StringConstraints(max_length=2_000)] | None = None
    version: Annotated[str, StringConstraints(pattern=SEMVER, max_length=100)] | None = None
    type: Literal["token_based", "message_count_based", "buffer"]
    max_tokens: Count | None = None
    max_messages: Count | None = None
    max_context_ratio: PositiveProportion | None = None
    token_allocation: TokenAllocation | None = None
    flushing: Flushing | None = None
    persistence: Persistence
    shared: Annotated[bool, Field(strict=True)] = Field(
        False,
        description="One instance per key for the whole org; otherwise each user (or agent) has its own.",
    )
    privacy_policy: PrivacyPolicy | None = None
    locking: Locking = Field(default_factory=Locking)
    token_provider: TokenProvider = Field(default_factory=TokenProvider)
    default_key_template: (
        Annotated[str, StringConstraints(max_length=512), AfterValidator(_template)] | None
    ) = None

    model_config = ConfigDict(
        json_schema_extra={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "examples": [
                {
                    "resource": "memory",
                    "id": "support",
                    "type": "token_based",
                    "max_tokens": 8000,
                    "persistence": {"type": "postgres", "ttl": "30d"},
                }
            ],
        }
    )

    @cached_property
    def budget(self) -> Budget:
        """The limits, with the model's context window taken into account."""
        return Budget(
            max_tokens=self._token_limit(),
            max_messages=self.max_messages,
            threshold=self.strategy.summarize_threshold,
            shares=self.token_allocation.shares if self.token_allocation else {},
        )

    @property
    def strategy(self) -> Flushing:
        """How it is flushed."""
        return self.flushing or Flushing()

    @property
    def breaker(self) -> CircuitBreaker:
        """How a failing backend is met."""
        return self.persistence.circuit_breaker or CircuitBreaker()

    @property
    def ttl_s(self) -> float | None:
        """How long an instance lives after its last write; None: for ever."""
        ttl = self.persistence.ttl
        return None if ttl is None else durations.seconds(ttl)

    @property
    def is_buffer(self) -> bool:
        """Whether the oldest are dropped on append."""
        return self.type == "buffer"

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """What counts the tokens here."""
        return tokens.tokenizer_for(self.token_provider.model)

    @cached_property
    def redactor(self) -> Redactor:
        """The privacy policy's patterns, compiled."""
        policy = self.privacy_policy or PrivacyPolicy()
        return Redactor(
            tuple(compile_pattern(each) for each in policy.redact_patterns),
            policy.default_redaction_string,
        )

    def persists(self, role: str, message_type: str) -> bool:
        """Whether a message of that role and type is kept at all."""
        policy = self.privacy_policy
        return policy is None or not {role, message_type} & {*policy.non_persistable_message_types}

    def as_written(self) -> dict[str, Any]:
        """The fields that the author set."""
        return self.model_dump(mode="json", exclude_unset=True)

    def _token_limit(self) -> int | None:
        if self.max_context_ratio is None:
            return self.max_tokens
        known = tokens.find_model(self.token_provider.model or "")
        window = int((known.context_window if known else 0) * self.max_context_ratio + 1e-9)
        return window if self.max_tokens is None else min(window, self.max_tokens)


def built_in() -> Resource:
    """`sessions`, which every org has."""
    return Resource.model_validate(
        {
            "resource": "memory",
            "id": BUILT_IN,
            "description": "The conversations of sessions.",
            "type": "token_based",
            "max_tokens": 100_000,
            "persistence": {"type": "postgres", "ttl": "30d"},
            "default_key_template": "{{.session_id}}",
        }
    )
