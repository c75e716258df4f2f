"""The texts that the model reads: folders, files and excerpts, in the format of the SDK's local memory tool."""

from typing import Any

from holdfast_client.stores.model import StoreEntry

LEVELS = 2
NUMBER_WIDTH = 6
CONTEXT_LINES = 2


def listing(shown: str, path: str, below: list[Any]) -> str:
    """Files with their sizes and folders, two levels deep, without hidden ones."""
    prefix = f"{path}/" if path else ""
    rows: dict[str, str] = {}
    for item in below:
        name = item.path.removeprefix(prefix)
        segments = name.rstrip("/").split("/")
        if any(segment.startswith(".") for segment in segments):
            continue
        if len(segments) > 1:
            rows.setdefault(f"{segments[0]}/", "-")
        rows[name] = size(item.size) if isinstance(item, StoreEntry) else "-"
    header = (
        f"Here're the files and directories up to {LEVELS} levels deep in {shown}, "
        "excluding hidden items:"
    )
    return "\n".join(
        [header, f"-\t{shown}", *(f"{rows[name]}\t{shown}/{name}" for name in sorted(rows))]
    )


def numbered_file(shown: str, content: str, view_range: list[int] | None) -> str:
    """A file, or the lines `[first, last]` of it; a last of -1 is the end."""
    lines, first = content.split("\n"), 1
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = len(lines) if view_range[1] == -1 else view_range[1]
        lines = lines[first - 1 : last]
    return "\n".join(
        [f"Here's the content of {shown} with line numbers:", *_numbered(lines, first)]
    )


def snippet(content: str, line: int) -> str:
    """A changed line with those around it."""
    first = max(1, line - CONTEXT_LINES)
    around = content.split("\n")[first - 1 : line + CONTEXT_LINES]
    header = (
        "The memory file has been edited. Here is the snippet showing the change "
        "(with line numbers):"
    )
    return "\n".join([header, *_numbered(around, first)])


def lines_of(content: str, wanted: str) -> list[int]:
    """The line of each occurrence of a text, overlapping ones too."""
    found, start = [], content.find(wanted)
    while start != -1 and wanted:
        found.append(content.count("\n", 0, start) + 1)
        start = content.find(wanted, start + 1)
    return found


def size(size_bytes: int) -> str:
    """A size in bytes as a short text: 512B, 1.5K, 2M."""
    amount = float(size_bytes)
    for unit in ("B", "K", "M"):
        if amount < 1024 or unit == "M":
            break
        amount /= 1024
    return f"{amount:.1f}".removesuffix(".0") + unit


def _numbered(lines: list[str], first: int) -> list[str]:
    return [f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]
