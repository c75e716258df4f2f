-- name: bound_the_lock
-- The row is the lock: waited for this long, and held no longer than that, for then Postgres ends its holder. A statement
-- that takes longer than its writer waits for is ended as well.
SELECT set_config('lock_timeout', %(wait_ms)s, true),
       set_config('statement_timeout', %(statement_ms)s, true),
       set_config('idle_in_transaction_session_timeout', %(ttl_ms)s, true);

-- name: open_conversation
-- The row, locked; made where there is none.
INSERT INTO conversations AS c (org_id, resource_id, key, id, created_at, updated_at)
VALUES (%(org_id)s, %(resource_id)s, %(key)s, %(id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, resource_id, key) DO UPDATE SET version = c.version
RETURNING id, version, message_count, token_count, roles, shares, next_seq, expires_at, pending_job, last_flush, last_error,
          created_at, updated_at;

-- name: lock_conversation
-- The row, locked; nothing where there is none.
SELECT id, version, message_count, token_count, roles, shares, next_seq, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at
  FROM conversations
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
   AND (expires_at IS NULL OR expires_at > %(now)s)
   FOR UPDATE;

-- name: read_conversation
SELECT id, version, message_count, token_count, roles, shares, next_seq, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at
  FROM conversations
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
   AND (expires_at IS NULL OR expires_at > %(now)s);

-- name: known_ids
SELECT m.id
  FROM conversations c JOIN conversation_messages m ON m.org_id = c.org_id AND m.conversation_id = c.id
 WHERE c.org_id = %(org_id)s AND c.resource_id = %(resource_id)s AND c.key = %(key)s AND m.id = ANY (%(ids)s)
UNION ALL
SELECT f.message_id
  FROM conversations c JOIN conversation_flushed_ids f ON f.org_id = c.org_id AND f.conversation_id = c.id
 WHERE c.org_id = %(org_id)s AND c.resource_id = %(resource_id)s AND c.key = %(key)s AND f.message_id = ANY (%(ids)s);

-- name: add_messages
INSERT INTO conversation_messages (
    org_id, conversation_id, seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share,
    created_at, accessed_at
)
SELECT %(org_id)s, %(conversation_id)s, m.seq, m.id, m.type, m.role, m.content, m.name, m.tool_calls, m.tool_call_id,
       coalesce(m.metadata, '{}'), m.tokens, m.share, m.created_at, %(now)s
  FROM jsonb_to_recordset(%(messages)s) AS m (
       seq bigint, id text, type text, role text, content text, name text, tool_calls jsonb, tool_call_id text,
       metadata jsonb, tokens integer, share text, created_at timestamptz);

-- name: change_totals
UPDATE conversations
   SET version = %(version)s, message_count = %(message_count)s, token_count = %(token_count)s, roles = %(roles)s,
       shares = %(shares)s, next_seq = %(next_seq)s, expires_at = %(expires_at)s, pending_job = %(pending_job)s,
       last_flush = %(last_flush)s, last_error = %(last_error)s,
       updated_at = greatest(%(now)s, updated_at + interval '1 microsecond')
 WHERE org_id = %(org_id)s AND id = %(conversation_id)s;

-- name: read_messages
-- Where no place is empty, the offset is a place and the index goes straight to it; else it counts along the index.
WITH c AS (
    SELECT id, next_seq - message_count AS first_seq
      FROM conversations
     WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
       AND (expires_at IS NULL OR expires_at > %(now)s)
), dense AS MATERIALIZED (
    SELECT coalesce((SELECT m.seq FROM conversation_messages m
                      WHERE m.org_id = %(org_id)s AND m.conversation_id = (SELECT id FROM c)
                      ORDER BY m.seq
                      LIMIT 1) >= (SELECT first_seq FROM c), true) AS yes
), start AS (
    SELECT CASE WHEN dense.yes THEN c.first_seq + %(offset)s ELSE -9223372036854775808 END AS seq,
           CASE WHEN dense.yes THEN 0 ELSE %(offset)s END AS skip
      FROM c, dense
)
SELECT seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s
   AND m.conversation_id = (SELECT id FROM c)
   AND m.seq >= (SELECT seq FROM start)
 ORDER BY m.seq
OFFSET (SELECT skip FROM start)
 LIMIT %(limit)s;

-- name: read_newest_messages
SELECT seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s
   AND m.conversation_id = (SELECT id FROM conversations
                             WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
                               AND (expires_at IS NULL OR expires_at > %(now)s))
 ORDER BY m.seq DESC
 LIMIT %(limit)s;

-- name: read_messages_at
SELECT seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s AND m.conversation_id = %(conversation_id)s AND m.seq = ANY (%(seqs)s)
 ORDER BY m.seq;

-- name: read_heads
SELECT m.seq, m.role, m.tokens, m.share, m.accessed_at, m.tool_call_id AS answers,
       ARRAY(SELECT call ->> 'id' FROM jsonb_array_elements(m.tool_calls) AS call
              WHERE jsonb_typeof(call) = 'object' AND call ->> 'id' IS NOT NULL) AS calls
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s
   AND m.conversation_id = (SELECT id FROM conversations
                             WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
                               AND (expires_at IS NULL OR expires_at > %(now)s))
 ORDER BY m.seq;

-- name: note_access
-- A message that another reader is noting at this moment is as recently read as it gets.
UPDATE conversation_messages
   SET accessed_at = %(now)s
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s AND seq IN (
       SELECT seq FROM conversation_messages
        WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s AND seq = ANY (%(seqs)s)
        ORDER BY seq
          FOR NO KEY UPDATE SKIP LOCKED);

-- name: remove_messages
DELETE FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s AND seq = ANY (%(seqs)s)
RETURNING seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at;

-- name: remove_all_messages
DELETE FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
RETURNING seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at;

-- name: remember_flushed
INSERT INTO conversation_flushed_ids (org_id, conversation_id, message_id)
SELECT %(org_id)s, %(conversation_id)s, unnest(%(ids)s::text[])
ON CONFLICT DO NOTHING;

-- name: forget_flushed
DELETE FROM conversation_flushed_ids WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s;

-- name: first_place
SELECT seq FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
 ORDER BY seq
 LIMIT 1;

-- name: take_lease
-- Gives no row while another holder's lease lasts. The database's clock decides: it is the same for every holder.
INSERT INTO conversation_leases AS l (org_id, conversation_id, token, expires_at)
SELECT org_id, id, 1, clock_timestamp() + make_interval(secs => %(ttl_s)s)
  FROM conversations
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
   AND (expires_at IS NULL OR expires_at > %(now)s)
ON CONFLICT (org_id, conversation_id) DO UPDATE
   SET token = l.token + 1, expires_at = excluded.expires_at
 WHERE l.expires_at <= clock_timestamp()
RETURNING token, expires_at;

-- name: check_lease
-- Gives no row once the lease is over or somebody else's; locked, so that it stays true to the end of the transaction.
SELECT token
  FROM conversation_leases
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
   AND token = %(token)s AND expires_at > clock_timestamp()
   FOR UPDATE;

-- name: end_lease
UPDATE conversation_leases l
   SET expires_at = '-infinity'
  FROM conversations c
 WHERE c.org_id = %(org_id)s AND c.resource_id = %(resource_id)s AND c.key = %(key)s
   AND l.org_id = c.org_id AND l.conversation_id = c.id AND l.token = %(token)s;

-- name: note_pending
UPDATE conversations SET pending_job = %(job_id)s
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s;

-- name: note_error
UPDATE conversations SET last_error = %(error)s
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s;

-- name: delete_conversation
DELETE FROM conversations WHERE org_id = %(org_id)s AND id = %(conversation_id)s;

-- name: lock_conversations_of
-- The rows of a resource, locked, a few at a time.
SELECT id, version, message_count, token_count, roles, shares, next_seq, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at, resource_id, key
  FROM conversations
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s
 ORDER BY id
 LIMIT %(limit)s
   FOR UPDATE;

-- name: list_conversations
SELECT id, key, message_count, token_count, created_at, updated_at, expires_at
  FROM conversations
 WHERE org_id = %(org_id)s
   AND resource_id = %(resource_id)s
   AND (expires_at IS NULL OR expires_at > %(now)s)
   AND id < %(older_than)s
   AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;
