"""Which account Postgres runs as, and where that account can go.

Postgres refuses to run as root. Everybody else runs it as themselves; root runs it as an
unprivileged account and, since that account may not be able to enter root's folders, asks first
where it can go. No permission is ever widened to let it in.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from holdfast.engine.errors import EngineError

VARIABLE = "HOLDFAST_ENGINE_ACCOUNT"
USUAL_ACCOUNTS = ("holdfast", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """An account that Postgres runs as."""

    uid: int
    gid: int

    @property
    def is_us(self) -> bool:
        """True when this process already is that account, so nothing has to be handed over."""
        return self.uid == os.geteuid()


def account_for(pgdata: Path) -> Account:
    """The account that runs the cluster in `pgdata`: its owner, or the chosen one if it is new.

    The owner wins over the setting: Postgres refuses a data folder that is not its own.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    try:
        owner = pgdata.stat()
    except FileNotFoundError:
        return _chosen_account()
    if owner.st_uid == 0:
        raise EngineError(
            f"{pgdata} belongs to root, and Postgres does not run as root: "
            f"give it to an unprivileged account (chown -R) and start again"
        )
    return Account(owner.st_uid, owner.st_gid)


def _chosen_account() -> Account:
    asked = os.environ.get(VARIABLE)
    for name in (asked,) if asked else USUAL_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid == 0:
            raise EngineError(f"{VARIABLE}={name} is root, and Postgres does not run as root")
        return Account(entry.pw_uid, entry.pw_gid)
    raise EngineError(
        f"there is no account {asked or ' or '.join(USUAL_ACCOUNTS)} to run Postgres as: "
        f"create one (useradd --system holdfast) or name one in {VARIABLE}"
    )


def can_reach(account: Account, folder: Path) -> bool:
    """Whether the account can enter `folder` and everything above it.

    Reads permission bits only. Where an access list says otherwise, Postgres will say so.
    """
    return all(_may_enter(account, step) for step in (folder, *folder.parents))


def _may_enter(account: Account, folder: Path) -> bool:
    found = folder.stat()
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)
