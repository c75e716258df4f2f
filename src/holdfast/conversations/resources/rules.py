"""Validation of memory resources: each field alone, then fields against each other. All errors are reported at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM
from holdfast.conversations.resources.config import Resource
from holdfast.conversations.resources.token_access import TokenAccess
from holdfast.kernel import tokens
from holdfast.kernel.errors import FieldError, Invalid

# Values of these never go into a message.
_SECRET = ("api_key_env", "endpoint")

Problem = tuple[str, str]  # field, message


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this deployment has that a resource may need."""

    redis: bool = False
    llm: bool = False
    token_access: TokenAccess = field(default_factory=TokenAccess)


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of a validation: the errors, or the resources with defaults filled in where there are none."""

    valid: bool
    errors: list[FieldError] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)


def check(
    data: Any, capabilities: Capabilities, lines: Callable[[str], int | None] = lambda _: None
) -> tuple[Resource | None, list[FieldError]]:
    """The resource, or everything that is wrong with it."""
    if not isinstance(data, dict):
        return None, [FieldError("", "a memory resource is a mapping of fields", lines(""))]
    data = snake_case(data)
    problems: list[Problem] = []
    resource = None
    try:
        resource = Resource.model_validate(data)
    except ValidationError as error:
        problems.extend(_field_problems(error))
    wrong = {name for name, _ in problems}
    problems.extend(p for p in _conflicts(_View(data, wrong), capabilities) if p not in problems)
    name = data.get("id") if isinstance(data.get("id"), str) else "?"
    errors = [FieldError(at, f"resource {name!r}: {text}", lines(at)) for at, text in problems]
    return (None if errors else resource), errors


def must_be_valid(data: Any, capabilities: Capabilities, lines: Any = lambda _: None) -> Resource:
    """The resource; Invalid with all that is wrong otherwise."""
    resource, errors = check(data, capabilities, lines)
    if resource is None:
        said = "; ".join(f"{e.field}: {e.message}" for e in errors[:5])
        raise Invalid(said, errors, valid=False)
    return resource


def snake_case(data: Any, inside: str = "") -> Any:
    """Field names in snake_case; names that are the author's own (user_defined shares) stay as they are."""
    if isinstance(data, dict):
        if inside == "user_defined":
            return data
        names = {name: to_snake(name) if isinstance(name, str) else str(name) for name in data}
        return {names[name]: snake_case(value, names[name]) for name, value in data.items()}
    return data


# --- each field alone ------------------------------------------------------------------------------------------------


def _field_problems(error: ValidationError) -> Iterator[Problem]:
    for each in error.errors(include_url=False):
        at = ".".join(str(part) for part in each["loc"] if part != "[key]")
        match each["type"]:
            case "missing":
                yield at, "is required"
            case "extra_forbidden":
                yield at, "there is no such field"
            case "string_pattern_mismatch":
                yield at, f"{_FORMS.get(each['loc'][-1], 'has the wrong form')}{_was(each)}"
            case _:
                message = each["msg"].removeprefix("Value error, ")
                yield at, f"{message[:1].lower()}{message[1:]}{_was(each)}"


_FORMS: dict[Any, str] = {
    "id": "must be 1–100 letters, digits, _ or -",
    "version": "must be a semantic version such as 1.2.0",
    "api_key_env": "must name an environment variable; a key itself never stands here",
    "endpoint": "must be an http or https address",
}


def _was(each: Any) -> str:
    """The value that was given; never of a key or an endpoint."""
    if any(part in _SECRET for part in each["loc"]):
        return ""
    text = repr(each["input"])
    return f" (it is {text[:100]}{'…' if len(text) > 100 else ''})"


# --- fields against each other -------------------------------------------------------------------------------------------------


class _View:
    """The data as written, without the fields that failed their own check."""

    def __init__(self, data: dict[str, Any], wrong: set[str]) -> None:
        self._data = data
        self._wrong = wrong

    def get(self, path: str, default: Any = None) -> Any:
        found: Any = self._data
        reached = ""
        for name in path.split("."):
            reached = f"{reached}.{name}".strip(".")
            if reached in self._wrong or not isinstance(found, dict) or found.get(name) is None:
                return default
            found = found[name]
        return found

    def has(self, path: str) -> bool:
        return self.get(path) is not None

    def is_valid(self, path: str) -> bool:
        """Whether this field passed its own check: a missing one was then left out on purpose, not refused."""
        return not any(w == path or w.startswith(f"{path}.") for w in self._wrong)


def _conflicts(view: _View, capabilities: Capabilities) -> Iterator[Problem]:
    yield from _limits(view)
    yield from _allocation(view)
    yield from _flushing(view, capabilities)
    yield from _persistence(view, capabilities)
    yield from _privacy(view)
    yield from _token_provider(view, capabilities)


def _limits(view: _View) -> Iterator[Problem]:
    limits = ("max_tokens", "max_context_ratio", "max_messages")
    if all(not view.has(name) and view.is_valid(name) for name in limits):
        match view.get("type"):
            case "token_based":
                yield (
                    "max_tokens",
                    "token_based needs max_tokens, max_context_ratio or max_messages",
                )
            case "buffer":
                yield "max_messages", "a buffer needs max_messages or max_tokens"
    if (
        view.get("type") == "message_count_based"
        and not view.has("max_messages")
        and view.is_valid("max_messages")
    ):
        yield "max_messages", "message_count_based needs max_messages"
    if view.has("max_context_ratio"):
        yield from _context_ratio(view)


def _context_ratio(view: _View) -> Iterator[Problem]:
    """A ratio needs a model whose context window is known."""
    model = view.get("token_provider.model")
    if model is None and view.is_valid("token_provider"):
        yield (
            "max_context_ratio",
            "needs token_provider.model, whose context window it is a ratio of",
        )
    if not isinstance(model, str):
        return
    window = tokens.find_model(model)
    if window is None:
        known = ", ".join(sorted(tokens.MODELS))
        yield (
            "token_provider.model",
            f"{model!r} is unknown, so max_context_ratio has no window; known: {known}",
        )
    elif (
        not view.has("max_tokens")
        and int(window.context_window * view.get("max_context_ratio")) < 1
    ):
        yield "max_context_ratio", "leaves no room for a single token"


def _allocation(view: _View) -> Iterator[Problem]:
    shares = view.get("token_allocation")
    if not isinstance(shares, dict):
        return
    if view.has("type") and view.get("type") != "token_based":
        yield "token_allocation", f"is for token_based only (type is {view.get('type')!r})"
    elif not (view.has("max_tokens") or view.has("max_context_ratio")) and view.is_valid(
        "max_tokens"
    ):
        yield "token_allocation", "divides max_tokens, and there is none"
    if not view.is_valid("token_allocation"):
        return
    own = shares.get("user_defined") or {}
    for name in (SHORT_TERM, LONG_TERM, SYSTEM):
        if name in own:
            yield f"token_allocation.user_defined.{name}", f"{name} is a share already"
    named = [shares.get(name) or 0 for name in (SHORT_TERM, LONG_TERM, SYSTEM)]
    total = sum([*named, *own.values()])
    if abs(total - 1) > 0.001 + 1e-9:
        yield "token_allocation", f"the shares must add up to 1.0 (they add up to {total:g})"


def _flushing(view: _View, capabilities: Capabilities) -> Iterator[Problem]:
    if not view.has("flushing"):
        return
    if view.get("type") == "buffer":
        yield "flushing", "a buffer drops its oldest by itself; leave flushing out"
        return
    strategy = view.get("flushing.type", "simple_fifo")
    if not view.is_valid("flushing.type"):
        return
    if strategy != "hybrid_summary":
        for name in ("summary_tokens", "summarize_oldest_percent", "fallback"):
            if view.has(f"flushing.{name}"):
                yield (
                    f"flushing.{name}",
                    f"has an effect with hybrid_summary only (type is {strategy!r})",
                )
    elif not capabilities.llm and view.get("flushing.fallback") != "extractive":
        yield (
            "flushing.type",
            "hybrid_summary needs a language model (HOLDFAST_LLM), or fallback: extractive",
        )


def _persistence(view: _View, capabilities: Capabilities) -> Iterator[Problem]:
    kind = view.get("persistence.type")
    if kind == "redis" and not capabilities.redis:
        yield (
            "persistence.type",
            "'redis' needs a Redis, and none is configured (HOLDFAST_REDIS_URL)",
        )
    if kind == "in_memory" and view.has("persistence.circuit_breaker"):
        yield "persistence.circuit_breaker", "has no effect in memory: there is no backend to fail"
    if view.get("persistence.circuit_breaker.enabled") is False:
        for name in ("timeout", "max_failures", "reset_timeout"):
            if view.has(f"persistence.circuit_breaker.{name}"):
                yield (
                    f"persistence.circuit_breaker.{name}",
                    "has no effect while the breaker is not enabled",
                )
    if kind == "in_memory":
        for name in ("append_ttl", "clear_ttl"):
            if view.has(f"locking.{name}"):
                yield f"locking.{name}", "has no effect in memory: nobody waits for a lock there"


def _privacy(view: _View) -> Iterator[Problem]:
    if view.has("privacy_policy.default_redaction_string") and not view.get(
        "privacy_policy.redact_patterns"
    ):
        yield "privacy_policy.default_redaction_string", "has no effect without redact_patterns"


def _token_provider(view: _View, capabilities: Capabilities) -> Iterator[Problem]:
    if not view.has("token_provider"):
        return
    provider = view.get("token_provider.provider", "local")
    if not view.is_valid("token_provider.provider"):
        return
    at = "token_provider"
    if provider == "local":
        for name in ("api_key_env", "endpoint", "fallback", "settings"):
            if view.has(f"{at}.{name}"):
                yield f"{at}.{name}", "has no effect with the local tokenizer"
        return
    for name in ("model", "api_key_env"):
        if not view.has(f"{at}.{name}") and view.is_valid(f"{at}.{name}"):
            yield f"{at}.{name}", f"is required to ask {provider} for counts"
    access = capabilities.token_access
    variable = view.get(f"{at}.api_key_env")
    if isinstance(variable, str) and not access.allows_key(provider, variable):
        yield (
            f"{at}.api_key_env",
            "names neither the provider's usual variable nor one this deployment allows (HOLDFAST_TOKEN_KEYS)",
        )
    endpoint = view.get(f"{at}.endpoint")
    if isinstance(endpoint, str) and not access.allows_endpoint(provider, endpoint):
        yield (
            f"{at}.endpoint",
            "is neither the provider's own origin nor one this deployment allows (HOLDFAST_TOKEN_ENDPOINTS)",
        )
