"""The settings that we start Postgres with: written anew at each start, each with its reason."""

import os
import shlex
from pathlib import Path

import psutil

from holdfast.engine.leftovers import cluster_name

FILE = "holdfast.conf"
MB = 1024 * 1024


def settings(
    pgdata: Path, socket_dir: Path, log_archive: Path | None = None, *, can_prewarm: bool
) -> str:
    """The text of the file that the cluster's postgresql.conf includes. `log_archive` is the folder that finished files of the
    write-ahead log are copied to; `can_prewarm`: whether Postgres has the library pg_prewarm."""
    memory_mb = memory_bytes() // MB
    return f"""\
# Written by Holdfast at each start: changes made here are lost.

# Who gets in: the socket only, and only this account.
listen_addresses = ''
unix_socket_directories = {_quoted(_listed(socket_dir))}
unix_socket_permissions = 0700
password_encryption = 'scram-sha-256'
# In each process title, so that what a crash leaves behind can be recognised.
cluster_name = {_quoted(cluster_name(pgdata))}

# An acknowledged write is on disk, also after a power cut.
fsync = on
synchronous_commit = on
full_page_writes = on

# Room for the application's pool, the worker's, and the command line beside them.
max_connections = 200
# A migration over many tables takes a lock on each.
max_locks_per_transaction = 128

# A quarter of the memory, as usual, up to 4 GB: what a question about a million passages touches at random. It is taken
# as data comes in, so a small database takes little.
shared_buffers = {min(4096, max(128, memory_mb // 4))}MB
# What the system is likely to cache for us: no memory is taken, only plans change.
effective_cache_size = {max(256, memory_mb // 2)}MB
{_prewarming(can_prewarm)}
work_mem = 16MB
# Vector indexes are built in memory where they fit.
maintenance_work_mem = {min(256, max(64, memory_mb // 16))}MB
# Containers often have a /dev/shm of 64 MB, too small for a parallel index build.
dynamic_shared_memory_type = {_dynamic_shared_memory_type()}

# Enough of a log for pg_basebackup and standbys: a backup needs no stop.
wal_level = replica
# Fewer checkpoints while much is written; recovery then has this much to read at most.
max_wal_size = 2GB
checkpoint_completion_target = 0.9
# An old file of the log is removed, not used again under another name: after an erasure it would hold what was erased.
wal_recycle = off
{_archiving(log_archive)}
# pglz: the wheel is built without lz4 and zstd.
wal_compression = on

# A table that is filled fast is looked at often: until it is, plans made for a few rows read whole orgs.
autovacuum_naptime = 5s

# SSDs: a random read costs about as much as the next one.
random_page_cost = 1.1
# Our queries take milliseconds, and so does compiling them.
jit = off

# A transaction that a client forgot would hold its locks, and hold back vacuum, for ever.
idle_in_transaction_session_timeout = 5min
# A query whose client has died is ended.
client_connection_check_interval = 10s

# Memories must never be in a log. Errors quote values, their details quote rows, and a crash
# quotes the statement: errors go to the client alone, and what is logged has no details.
log_min_messages = log
log_error_verbosity = terse
log_min_error_statement = panic
log_statement = none
log_min_duration_statement = -1
log_min_duration_sample = -1
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_lock_waits = off
log_autovacuum_min_duration = -1
# A line every five minutes tells nobody anything.
log_checkpoints = off
logging_collector = off
log_destination = stderr
log_line_prefix = '%m [%p] '

timezone = 'UTC'
log_timezone = 'UTC'
"""


def _archiving(folder: Path | None) -> str:
    """A file appears in the archive whole, and is never replaced."""
    if folder is None:
        return "archive_mode = off"
    place = shlex.quote(str(folder)).replace("%", "%%")
    command = f"test ! -f {place}/%f && cp %p {place}/%f.part && mv {place}/%f.part {place}/%f"
    return f"archive_mode = on\narchive_command = {_quoted(command)}\narchive_timeout = 60s"


def _prewarming(can_prewarm: bool) -> str:
    """What was in the cache is read into it again after a restart, in the background: until then a question about a million passages
    takes three times as long."""
    if not can_prewarm:
        return "shared_preload_libraries = ''"
    return "shared_preload_libraries = 'pg_prewarm'\npg_prewarm.autoprewarm = on"


def memory_bytes() -> int:
    """The memory that we may use: the machine's, or the container's where that is less."""
    total: int = psutil.virtual_memory().total
    for limit in (
        Path("/sys/fs/cgroup/memory.max"),
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    ):
        try:
            total = min(total, int(limit.read_text()))
        except (OSError, ValueError):  # not Linux, no such group, or "max"
            continue
    return total


def _dynamic_shared_memory_type() -> str:
    try:
        room = os.statvfs("/dev/shm")  # noqa: S108
    except OSError:
        return "posix"  # macOS has it elsewhere
    return "posix" if room.f_bavail * room.f_frsize >= 512 * MB else "mmap"


def _listed(folder: Path) -> str:
    """As one item of a list in which commas divide."""
    return '"' + str(folder).replace('"', '""') + '"'


def _quoted(text: str) -> str:
    """As a string in a Postgres configuration file."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
