-- fragment: message
seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share, created_at, accessed_at

-- fragment: this_instance
org_id = %(org_id)s AND resource_id = %(resource_id)s AND audience = %(audience)s AND key = %(key)s
   AND (%(within)s::text IS NULL OR workspace_id = %(within)s)

-- fragment: live
(expires_at IS NULL OR expires_at > %(now)s)

-- name: bound_the_lock
-- The instance's row is the lock. How long it is waited for, how long a statement may take, and how long a transaction
-- that does nothing may hold it before Postgres ends that transaction.
SELECT set_config('lock_timeout', %(wait_ms)s, true),
       set_config('statement_timeout', %(statement_ms)s, true),
       set_config('idle_in_transaction_session_timeout', %(ttl_ms)s, true);

-- name: open_conversation
-- The row, locked; made where there is none. No row where the key is taken in another workspace.
-- sight: the owner is part of the key
INSERT INTO conversations AS c (org_id, resource_id, user_id, agent_id, key, id, workspace_id, created_at, updated_at)
VALUES (%(org_id)s, %(resource_id)s, %(user_id)s, %(agent_id)s, %(key)s, %(id)s, %(workspace_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, resource_id, audience, key) DO UPDATE SET version = c.version
 WHERE %(within)s::text IS NULL OR c.workspace_id = %(within)s
RETURNING {totals};

-- name: lock_conversation
-- The row, locked; no row where there is no such instance. NO KEY: reads that are noted meanwhile do not wait.
-- sight: the owner is part of the key
SELECT {totals}
  FROM conversations
 WHERE {this_instance} AND {live}
   FOR NO KEY UPDATE;

-- name: read_conversation
-- sight: the owner is part of the key
SELECT {totals}
  FROM conversations
 WHERE {this_instance} AND {live};

-- name: known_ids
-- sight: the owner is part of the key
WITH c AS (SELECT org_id, id FROM conversations WHERE {this_instance})
SELECT m.id
  FROM c JOIN conversation_messages m ON m.org_id = %(org_id)s AND m.conversation_id = c.id
 WHERE m.id = ANY (%(ids)s)
UNION ALL
SELECT f.message_id
  FROM c JOIN conversation_flushed_ids f ON f.org_id = %(org_id)s AND f.conversation_id = c.id
 WHERE f.message_id = ANY (%(ids)s);

-- name: add_messages
-- RETURNING: without it Citus would COPY the rows, which row-level security refuses.
-- sight: by the id of a row that is locked
INSERT INTO conversation_messages (
    org_id, conversation_id, seq, id, type, role, content, name, tool_calls, tool_call_id, metadata, tokens, share,
    created_at, accessed_at
)
SELECT %(org_id)s, %(conversation_id)s, m.seq, m.id, m.type, m.role, m.content, m.name, m.tool_calls, m.tool_call_id,
       coalesce(m.metadata, '{}'), m.tokens, m.share, m.created_at, %(now)s
  FROM jsonb_to_recordset(%(messages)s) AS m (
       seq bigint, id text, type text, role text, content text, name text, tool_calls jsonb, tool_call_id text,
       metadata jsonb, tokens integer, share text, created_at timestamptz)
RETURNING seq;

-- name: change_totals
-- sight: by the id of a row that is locked
UPDATE conversations
   SET version = %(version)s, message_count = %(message_count)s, token_count = %(token_count)s, roles = %(roles)s,
       shares = %(shares)s, next_seq = %(next_seq)s, expires_at = %(expires_at)s, pending_job = %(pending_job)s,
       last_flush = %(last_flush)s, last_error = %(last_error)s,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(conversation_id)s;

-- name: read_messages
-- Messages from an offset on, each with the instance's id and count; one row without a message where there are none.
-- Where no place is empty the offset is a place, and the index goes straight to it; otherwise it counts along the index.
-- sight: the owner is part of the key
WITH c AS (
    SELECT id AS conversation_id, message_count, next_seq - message_count AS first_seq
      FROM conversations
     WHERE {this_instance} AND {live}
), dense AS MATERIALIZED (
    SELECT coalesce((SELECT m.seq FROM conversation_messages m
                      WHERE m.org_id = %(org_id)s AND m.conversation_id = (SELECT conversation_id FROM c)
                      ORDER BY m.seq
                      LIMIT 1) >= (SELECT first_seq FROM c), true) AS yes
), start AS (
    SELECT CASE WHEN dense.yes THEN c.first_seq + %(offset)s ELSE -9223372036854775808 END AS seq,
           CASE WHEN dense.yes THEN 0 ELSE %(offset)s END AS skip
      FROM c, dense
)
SELECT {message}, c.conversation_id, c.message_count
  FROM c
  LEFT JOIN (
       SELECT {message}
         FROM conversation_messages m
        WHERE m.org_id = %(org_id)s
          AND m.conversation_id = (SELECT conversation_id FROM c)
          AND m.seq >= (SELECT seq FROM start)
        ORDER BY m.seq
       OFFSET (SELECT skip FROM start)
        LIMIT %(limit)s) AS m ON true
 ORDER BY seq;

-- name: read_newest_messages
-- sight: the owner is part of the key
WITH c AS (SELECT id AS conversation_id, message_count FROM conversations WHERE {this_instance} AND {live})
SELECT {message}, c.conversation_id, c.message_count
  FROM c
  LEFT JOIN (
       SELECT {message}
         FROM conversation_messages m
        WHERE m.org_id = %(org_id)s AND m.conversation_id = (SELECT conversation_id FROM c)
        ORDER BY m.seq DESC
        LIMIT %(limit)s) AS m ON true
 ORDER BY seq;

-- name: read_messages_at
-- sight: the owner is part of the key
SELECT {message}
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s
   AND m.conversation_id = (SELECT id FROM conversations WHERE {this_instance} AND {live})
   AND m.seq = ANY (%(seqs)s)
 ORDER BY m.seq;

-- name: read_heads
-- sight: the owner is part of the key
SELECT m.seq, m.role, m.tokens, m.share, m.accessed_at, m.tool_call_id AS answers, m.type,
       ARRAY(SELECT call ->> 'id' FROM jsonb_array_elements(m.tool_calls) AS call
              WHERE jsonb_typeof(call) = 'object' AND call ->> 'id' IS NOT NULL) AS calls
  FROM conversation_messages m
 WHERE m.org_id = %(org_id)s
   AND m.conversation_id = (SELECT id FROM conversations WHERE {this_instance} AND {live})
 ORDER BY m.seq;

-- name: read_reads
-- sight: the owner is part of the key
SELECT first_seq, last_seq, read_at
  FROM conversation_reads
 WHERE org_id = %(org_id)s AND conversation_id = (SELECT id FROM conversations WHERE {this_instance});

-- name: note_reads
-- An instance that is gone meanwhile has no row to refer to, so nothing is noted of it.
-- sight: by the ids of instances that were read
INSERT INTO conversation_reads AS r (org_id, conversation_id, first_seq, last_seq, read_at)
SELECT c.org_id, c.id, n.first_seq, n.last_seq, n.read_at
  FROM unnest(%(ids)s::text[], %(firsts)s::bigint[], %(lasts)s::bigint[], %(read_ats)s::timestamptz[])
       AS n (id, first_seq, last_seq, read_at)
  JOIN conversations c ON c.org_id = %(org_id)s AND c.id = n.id
 ORDER BY c.id, n.first_seq, n.last_seq
ON CONFLICT (org_id, conversation_id, first_seq, last_seq) DO UPDATE
   SET read_at = greatest(r.read_at, excluded.read_at);

-- name: remove_messages
-- sight: by the id of a row that is locked
DELETE FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s AND seq = ANY (%(seqs)s)
RETURNING {message};

-- name: remove_all_messages
-- sight: by the id of a row that is locked
DELETE FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
RETURNING {message};

-- name: forget_reads
-- Reads of places that are empty: all before the first message.
-- sight: by the id of a row that is locked
DELETE FROM conversation_reads
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
   AND last_seq < coalesce((SELECT min(m.seq) FROM conversation_messages m
                             WHERE m.org_id = %(org_id)s AND m.conversation_id = %(conversation_id)s),
                           9223372036854775807);

-- name: remember_flushed
-- sight: by the id of a row that is locked
INSERT INTO conversation_flushed_ids (org_id, conversation_id, message_id)
SELECT %(org_id)s, %(conversation_id)s, unnest(%(ids)s::text[])
ON CONFLICT DO NOTHING;

-- name: forget_flushed
-- The ids of these flushed messages; null for all.
-- sight: by the id of a row that is locked
DELETE FROM conversation_flushed_ids
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
   AND (%(ids)s::text[] IS NULL OR message_id = ANY (%(ids)s));

-- name: first_place
-- sight: by the id of a row that is locked
SELECT seq FROM conversation_messages
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
 ORDER BY seq
 LIMIT 1;

-- name: take_lease
-- No row while another holder's lease lasts. The database's clock decides: it is the same for every holder.
-- sight: the owner is part of the key
INSERT INTO conversation_leases AS l (org_id, conversation_id, token, taken_at, expires_at)
SELECT org_id, id, 1, clock.at, clock.at + make_interval(secs => %(ttl_s)s)
  FROM conversations, (SELECT clock_timestamp() AS at) clock
 WHERE {this_instance} AND {live}
ON CONFLICT (org_id, conversation_id) DO UPDATE
   SET token = l.token + 1, taken_at = excluded.taken_at, expires_at = excluded.expires_at
 WHERE l.expires_at <= excluded.taken_at
RETURNING token, expires_at;

-- name: check_lease
-- No row once the lease ended or another holds it; locked, so that it stays true to the end of the transaction.
-- sight: by the id of a row that is locked
SELECT token
  FROM conversation_leases
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
   AND token = %(token)s AND expires_at > clock_timestamp()
   FOR UPDATE;

-- name: end_lease
-- sight: the owner is part of the key, and the token is the holder's own
UPDATE conversation_leases l
   SET expires_at = '-infinity'
 WHERE l.org_id = %(org_id)s AND l.token = %(token)s
   AND l.conversation_id = (SELECT id FROM conversations WHERE {this_instance});

-- name: note_pending
-- sight: the owner is part of the key
UPDATE conversations SET pending_job = %(job_id)s WHERE {this_instance};

-- name: note_error
-- sight: the owner is part of the key
UPDATE conversations SET last_error = %(error)s WHERE {this_instance};

-- name: delete_conversation
-- sight: by the id of a row that is locked
DELETE FROM conversations WHERE org_id = %(org_id)s AND id = %(conversation_id)s;

-- name: lock_conversations_of
-- The rows of a resource, locked, a few at a time.
-- sight: deletes the resource with the instances of every owner; only service keys and owners may
SELECT {totals}, resource_id, user_id, agent_id, key
  FROM conversations
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s
 ORDER BY id
 LIMIT %(limit)s
   FOR UPDATE;

-- name: list_conversations
-- sight: those of one owner, which is the caller's; the service lets only service keys and owners list all
SELECT id, key, user_id, agent_id, message_count, token_count, created_at, updated_at, expires_at
  FROM conversations
 WHERE org_id = %(org_id)s
   AND resource_id = %(resource_id)s
   AND (%(audience)s::text IS NULL OR audience = %(audience)s)
   AND (%(within)s::text IS NULL OR workspace_id = %(within)s)
   AND {live}
   AND id < %(older_than)s
   AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;
