"""YAML with the line of every field, so that an error can say where it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic.alias_generators import to_snake

from holdfast.kernel.errors import FieldError, Invalid


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file: its data, and the line (from 1) of each field by its path."""

    data: Any
    lines: dict[str, int]

    def line(self, field: str) -> int | None:
        """The line of a field; of what holds it, where the field itself is not there."""
        while field and field not in self.lines:
            field = field.rpartition(".")[0]
        return self.lines.get(field)


def read_yaml(text: str) -> list[Document]:
    """Every document of a file; Invalid with its line where it is no YAML, or has a field twice."""
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
        loaded = list(yaml.safe_load_all(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = None if mark is None else mark.line + 1
        reason = f"is not YAML: {error.problem}"
        raise Invalid(reason, [FieldError("", reason, line)], valid=False) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise Invalid("is not YAML", [FieldError("", "is not YAML", None)], valid=False) from None
    documents = []
    for node, data in zip(nodes, loaded, strict=True):
        if node is None:
            continue
        lines: dict[str, int] = {}
        twice = list(_walk(node, "", lines))
        if twice:
            raise Invalid(f"{twice[0].field}: is there twice", twice, valid=False)
        documents.append(Document(data, lines))
    return documents


def _walk(node: Any, path: str, lines: dict[str, int]) -> Iterator[FieldError]:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value) if path.endswith("user_defined") else to_snake(str(key.value))
            here = f"{path}.{name}".strip(".")
            lines[here] = key.start_mark.line + 1
            if name in seen:
                yield FieldError(here, "is there twice", key.start_mark.line + 1)
            seen.add(name)
            yield from _walk(value, here, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _walk(value, f"{path}.{index}".strip("."), lines)
