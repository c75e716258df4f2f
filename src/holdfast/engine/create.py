"""A new cluster: made aside, then put in its place complete. And what it needs after an upgrade.

The superuser's work (roles, database, extensions) is done in single-user mode, where Postgres
reads SQL from a pipe and listens to nobody. So the superuser has no password and cannot log in,
and the passwords of the two roles that can are never in an argument list or a log.
"""

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from holdfast.engine.account import Account
from holdfast.engine.binaries import Binaries
from holdfast.engine.endpoints import APP_ROLE, DATABASE, OWNER_ROLE, Passwords
from holdfast.engine.errors import EngineError, EngineStartFailed
from holdfast.engine.files import read_if_there, sync_folder, write_private
from holdfast.engine.home import Home
from holdfast.engine.leftovers import end_unfinished
from holdfast.engine.tuning import FILE as TUNING_FILE

UNFINISHED = "postgres.new-"
STAMP = "holdfast.prepared"
EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")

# The word parser asks the C library which characters are letters. Under plain C each one past
# ASCII is, so that “tea” would be indexed with its quotation marks and never be found.
LETTERS = ("C.UTF-8", "en_US.UTF-8", "C")

INITDB = (
    "--username=postgres",
    "--auth=reject",
    "--encoding=UTF8",
    "--locale=C",
    # Upper and lower case beyond ASCII without ICU, the same on every machine.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-sync",  # we sync once, when all of it is there
    "--no-instructions",
)

# Everybody else is refused, the superuser too.
HBA = f"""\
local  all          {OWNER_ROLE},{APP_ROLE}  scram-sha-256
local  replication  {OWNER_ROLE}  scram-sha-256
"""

# Extensions go into template1 first, so that any database made from it has them as well.
# The owner may make databases (tests do) and take base backups: under forced row-level security
# it could not read every row, so a backup of files is the one that is sure to be complete. It may end a file of the log,
# make a checkpoint and see how old others' transactions are: an erasure leaves nothing in the files.
MAKE_DATABASE = f"""\
CREATE ROLE {OWNER_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE CREATEDB REPLICATION;

CREATE ROLE {APP_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;

GRANT pg_checkpoint, pg_read_all_stats TO {OWNER_ROLE};

GRANT EXECUTE ON FUNCTION pg_switch_wal() TO {OWNER_ROLE};

CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE} TEMPLATE template1;

REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC;

GRANT CONNECT ON DATABASE {DATABASE} TO {APP_ROLE};

"""


def major_of(pgdata: Path) -> str | None:
    """The major version of Postgres that made a cluster; None where there is none."""
    found = read_if_there(pgdata / "PG_VERSION")
    return None if found is None else found.strip()


def set_aside(home: Home, major: str) -> Path:
    """Where an upgrade puts the old cluster until the new one has started."""
    return home.cluster_dir / f"postgres.{major}"


def check_cluster(pgdata: Path, binaries: Binaries) -> None:
    """Refuse a folder that these programs cannot open, before Postgres does in its own words."""
    found = major_of(pgdata)
    if found is None:
        raise EngineError(f"{pgdata} is not a Postgres data folder: move it away and start again")
    if found != binaries.major:
        raise EngineError(
            f"{pgdata} was made by Postgres {found} and this is {binaries.major}: run holdfast upgrade,"
            f" which makes a backup first, or use the version of Holdfast that made it"
        )


def check_no_upgrade_was_cut_short(home: Home) -> None:
    """Refuse to make a new cluster where an upgrade was killed while it changed the old for the new."""
    aside = sorted(home.cluster_dir.glob("postgres.[0-9]*"))
    if aside:
        raise EngineError(
            f"an upgrade was cut short, and the data is in {aside[-1]}: run holdfast upgrade again"
        )


def create_cluster(home: Home, binaries: Binaries, account: Account, passwords: Passwords) -> None:
    """Make the cluster. Killed at any moment, it leaves nothing that the next try would trust."""
    for unfinished in home.cluster_dir.glob(f"{UNFINISHED}*"):
        end_unfinished(unfinished)
        while unfinished.exists():
            # A server that was just ended may delete its own files meanwhile.
            with suppress(FileNotFoundError):
                shutil.rmtree(unfinished)
    new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home.cluster_dir))
    try:
        if not account.is_us:
            os.chown(new, account.uid, account.gid)
        _initdb(new, binaries, account)
        write_private(new / "pg_hba.conf", HBA, account)
        configuration = (new / "postgresql.conf").read_text()
        include = f"\ninclude_if_exists = '{TUNING_FILE}'\n"
        write_private(new / "postgresql.conf", configuration + include, account)
        template = _extensions_sql() + MAKE_DATABASE + _passwords_sql(passwords)
        _as_superuser(template, "template1", new, binaries, account)
        _stamp(new, binaries, account, passwords)
        _sync(new, binaries, account)
        new.rename(home.pgdata)
        sync_folder(home.cluster_dir)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def prepare_cluster(pgdata: Path, binaries: Binaries, account: Account, pw: Passwords) -> None:
    """Bring passwords and extensions up to date, where the wheel or the passwords are new."""
    if read_if_there(pgdata / STAMP) == _stamp_text(binaries, pw):
        return
    _as_superuser(_extensions_sql(), "template1", pgdata, binaries, account)
    _as_superuser(_extensions_sql() + _passwords_sql(pw), DATABASE, pgdata, binaries, account)
    _stamp(pgdata, binaries, account, pw)


def _initdb(new: Path, binaries: Binaries, account: Account) -> None:
    for letters in LETTERS:
        arguments = ("-D", str(new), f"--lc-ctype={letters}", *INITDB)
        status, output = binaries.run("initdb", arguments, account=account, cwd=new)
        if status == 0:
            return
        if "invalid locale name" not in output:
            break
    raise EngineStartFailed("initdb could not make a new cluster", output.strip())


def _as_superuser(
    sql: str, database: str, pgdata: Path, binaries: Binaries, account: Account
) -> None:
    """Run statements, each closed by a semicolon and an empty line, with no server running."""
    options = ("exit_on_error=true", "log_min_error_statement=panic", "log_checkpoints=off")
    arguments = ["--single", "-j", "-D", str(pgdata)]
    for option in options:
        arguments += ["-c", option]
    status, output = binaries.run(
        "postgres", [*arguments, database], account=account, cwd=pgdata, stdin=sql.encode()
    )
    if status != 0:
        raise EngineStartFailed(f"the cluster in {pgdata} could not be prepared", output.strip())


def _extensions_sql() -> str:
    return "".join(
        f"CREATE EXTENSION IF NOT EXISTS {name};\n\nALTER EXTENSION {name} UPDATE;\n\n"
        for name in EXTENSIONS
    )


def _passwords_sql(passwords: Passwords) -> str:
    # No quoting: `read_passwords` refuses any that would need it.
    return (
        f"ALTER ROLE {OWNER_ROLE} PASSWORD '{passwords.owner}';\n\n"
        f"ALTER ROLE {APP_ROLE} PASSWORD '{passwords.app}';\n\n"
    )


def _stamp(pgdata: Path, binaries: Binaries, account: Account, passwords: Passwords) -> None:
    write_private(pgdata / STAMP, _stamp_text(binaries, passwords), account)


def _stamp_text(binaries: Binaries, passwords: Passwords) -> str:
    facts = f"{binaries.wheel_version} {passwords.owner} {passwords.app}"
    return hashlib.sha256(facts.encode()).hexdigest()


def _sync(pgdata: Path, binaries: Binaries, account: Account) -> None:
    arguments = ("--sync-only", "-D", str(pgdata))
    status, output = binaries.run("initdb", arguments, account=account, cwd=pgdata)
    if status != 0:
        raise EngineStartFailed("the new cluster could not be written to disk", output.strip())
