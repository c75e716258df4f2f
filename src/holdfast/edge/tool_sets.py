"""Tool sets: a model pays for every tool that it is shown, so a client chooses which. `core` unless it does."""

from typing import Literal, get_args

from holdfast.kernel.errors import Malformed

ToolSet = Literal["core", "entries", "blocks", "stores", "graph", "search"]

SETS: tuple[ToolSet, ...] = get_args(ToolSet)
DEFAULT: frozenset[str] = frozenset({"core"})
EVERY: frozenset[str] = frozenset(SETS)


def chosen(text: str | None) -> frozenset[str]:
    """The sets that a text names with commas, `all` for every one; None is the default. Malformed for an unknown one."""
    if text is None:
        return DEFAULT
    names = {name.strip() for name in text.split(",")}
    if unknown := sorted(names - {*SETS, "all"}):
        known = ", ".join((*SETS, "all"))
        raise Malformed.field("tools", f"there is no tool set {unknown[0]!r}; there are: {known}")
    return EVERY if "all" in names else frozenset(names)
