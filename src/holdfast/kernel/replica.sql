-- sight: positions in the log and the identity of a server, no content.

-- name: position
-- Where the log is safely on disk: behind every commit that was acknowledged.
SELECT pg_current_wal_flush_lsn()::text;

-- name: complete_log
-- A transaction with nothing in it but a mark: its commit brings everything before it to disk, whole.
SELECT pg_logical_emit_message(true, 'holdfast', '')::text;

-- name: system_identifier
SELECT system_identifier::text FROM pg_control_system();

-- name: read_server
SELECT (SELECT system_identifier::text FROM pg_control_system()), pg_is_in_recovery();

-- name: bytes_behind
-- Null on a server that is no replica, or no longer.
SELECT CASE WHEN pg_is_in_recovery()
            THEN (%(position)s::pg_lsn - pg_last_wal_replay_lsn())::bigint END;
