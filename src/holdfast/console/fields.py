"""What a form or a query string holds, read by name and checked."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import parse_qsl

from holdfast.kernel.errors import Malformed
from holdfast.kernel.ids import is_client_id
from holdfast.kernel.limits import storable

Word = TypeVar("Word", bound=str)

# Names that forms use for themselves; no page takes them as input.
TOKEN, THEN, PASSWORD, CODE = "_csrf", "_then", "_password", "_totp"
MAX_FIELDS = 500
# Passwords and codes: a page that refuses a form shows what was typed, but for these.
SECRETS = frozenset({"password", "again", "code", "totp"})


class Fields:
    """Names and values. A blank value counts as left out, as browsers send it for an empty input."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self.values = values

    @classmethod
    def parse(cls, encoded: str) -> "Fields":
        """From the form that browsers send; Malformed where it cannot be read."""
        try:
            pairs = parse_qsl(
                encoded, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
            )
        except ValueError:
            raise Malformed("the form cannot be read") from None
        values: dict[str, list[str]] = {}
        for name, value in pairs:
            storable(name, field="the name of a field")
            storable(value, field=name)
            # Browsers end the lines of a text area with CRLF, whatever they were before.
            values.setdefault(name, []).append(value.replace("\r\n", "\n"))
        return cls(values)

    def raw(self, name: str) -> str:
        """The value as it was sent, blank where there is none."""
        return self.values.get(name, [""])[0]

    def text(self, name: str) -> str | None:
        """A text without the blanks around it; None where nothing is left."""
        return self.raw(name).strip() or None

    def must(self, name: str) -> str:
        """A text that has to be there."""
        given = self.text(name)
        if given is None:
            raise Malformed.field(name, "is required")
        return given

    def words(self, name: str) -> list[str]:
        """A list written with commas, each once."""
        return list(
            dict.fromkeys(word.strip() for word in self.raw(name).split(",") if word.strip())
        )

    def flag(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.raw(name) not in ("", "0", "false")

    def number(self, name: str, low: int, high: int) -> int | None:
        """A whole number within bounds."""
        given = self.text(name)
        if given is None:
            return None
        try:
            number = int(given)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise Malformed.field(name, f"is a whole number from {low:,} to {high:,}")
        return number

    def share(self, name: str) -> float | None:
        """A number from 0 to 1."""
        given = self.text(name)
        if given is None:
            return None
        try:
            number = float(given)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise Malformed.field(name, "is a number from 0 to 1")
        return number

    def choice(self, name: str, known: Sequence[Word]) -> Word | None:
        """One of some words."""
        given = self.text(name)
        if given is None:
            return None
        for word in known:
            if word == given:
                return word
        raise Malformed.field(name, f"is one of {', '.join(known)}")

    def name(self, name: str) -> str | None:
        """The id of a user, agent, project, workspace or session."""
        given = self.text(name)
        if given is not None and not is_client_id(given):
            raise Malformed.field(name, "is 1 to 128 of A-Z a-z 0-9 _ . : @ -")
        return given

    def instant(self, name: str) -> datetime | None:
        """A date, or a date and a time; without an offset it is UTC."""
        given = self.text(name)
        if given is None:
            return None
        try:
            at = datetime.fromisoformat(given)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise Malformed.field(name, "write a time as in 2026-01-31 12:00 (UTC)") from None

    def typed(self) -> dict[str, str]:
        """What a person typed: everything but the form's own fields."""
        return {name: given[0] for name, given in self.values.items() if not name.startswith("_")}

    def shown(self) -> dict[str, str]:
        """What a person typed and may be shown again: no password and no code."""
        return {name: given for name, given in self.typed().items() if name not in SECRETS}
