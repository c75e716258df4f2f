"""Two texts as one, with marks where they differ, for a person to choose from."""

from difflib import SequenceMatcher

MINE, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> written meanwhile"


def marked(mine: str, theirs: str) -> str:
    """What both say, and between marks what only one of them does."""
    ours, others = mine.splitlines(), theirs.splitlines()
    lines: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, ours, others, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += ours[i:j]
        else:
            lines += [MINE, *ours[i:j], BETWEEN, *others[k:m], THEIRS]
    return "".join(f"{line}\n" for line in lines)


def still_marked(text: str) -> bool:
    """Whether somebody still has to choose."""
    return any(line in (MINE, THEIRS) for line in text.splitlines())
