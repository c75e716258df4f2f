"""The key of an instance: given, or made from a template over variables."""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import Invalid

MAX_KEY_CHARS = 256
# In the OpenAPI document; that it may not start or end with __ is checked apart.
KEY = r"^[A-Za-z0-9_:\-@.*]{1,256}$"
_KEY = re.compile(r"[A-Za-z0-9_:\-@.*]{1,256}")
_VARIABLE = re.compile(r"\{\{\s*\.([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\s*\}\}")


def check_key(key: str) -> str:
    """The key, if it may be one."""
    if not _KEY.fullmatch(key):
        raise Invalid.field("key", "must be 1–256 letters, digits or _ : - @ . *")
    if key.startswith("__") or key.endswith("__"):
        raise Invalid.field("key", "may not start or end with __")
    return key


def check_template(template: str) -> str | None:
    """What is wrong with a template; None when nothing is."""
    rest = _VARIABLE.sub("x", template)
    if "{" in rest or "}" in rest:
        return "variables are written {{.path.to.value}}"
    if not _KEY.fullmatch(rest):
        return "a key is 1–256 letters, digits or _ : - @ . *"
    if _VARIABLE.sub("", template).startswith("__") and template.startswith("__"):
        return "a key may not start with __"
    return None


def resolve(template: str, variables: Mapping[str, Any]) -> str:
    """The key that a template makes of the variables; one that is missing is an error, never an empty string."""

    def value(match: re.Match[str]) -> str:
        return _look_up(variables, match[1])

    return check_key(_VARIABLE.sub(value, template))


def matches(template: str, key: str) -> bool:
    """Whether some variables would make `key` of the template."""
    literal = [re.escape(part) for part in _VARIABLE.split(template)[::2]]
    return re.fullmatch(".+".join(literal), key) is not None


def _look_up(variables: Mapping[str, Any], path: str) -> str:
    found: Any = variables
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            raise Invalid.field("variables", f"{path!r} is missing, and the key needs it")
        found = found[name]
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise Invalid.field("variables", f"{path!r} must be a text or a whole number, not empty")
    return str(found)
