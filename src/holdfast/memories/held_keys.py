"""Which keys are held, as far as this process knows: a save of such a key updates its row without an attempt to make one."""

from collections import OrderedDict

MAX_KEYS = 4_096

Slot = tuple[str, str, str]
"""An audience, a workspace and a key: what may exist once in an org."""


class HeldKeys:
    """The slots of late that were saved or found held. A guess: a row may have been deleted, or have expired."""

    def __init__(self) -> None:
        self._slots: OrderedDict[tuple[str, Slot], None] = OrderedDict()

    def likely(self, org_id: str, slot: Slot) -> bool:
        """Whether a slot is known as held."""
        return (org_id, slot) in self._slots

    def note(self, org_id: str, slot: Slot) -> None:
        """Remember that a slot is held; the oldest are forgotten."""
        self._slots[org_id, slot] = None
        self._slots.move_to_end((org_id, slot))
        if len(self._slots) > MAX_KEYS:
            self._slots.popitem(last=False)
