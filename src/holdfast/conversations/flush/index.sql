-- fragment: live
(h.expires_at IS NULL OR h.expires_at > %(now)s) AND in_workspace(%(by_workspace)s, h.workspace_id)

-- name: open_history
-- sight: written together with a change of the instance, under its names
INSERT INTO conversation_histories (
    org_id, conversation_id, resource_id, user_id, agent_id, key, workspace_id, expires_at
)
VALUES (
    %(org_id)s, %(conversation_id)s, %(resource_id)s, %(user_id)s, %(agent_id)s, %(key)s, %(workspace_id)s, %(expires_at)s
)
ON CONFLICT (org_id, conversation_id) DO UPDATE SET expires_at = excluded.expires_at;

-- name: history_lives_on
-- sight: by the id of an instance that is being changed
UPDATE conversation_histories SET expires_at = %(expires_at)s
 WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s;

-- name: put_summary
-- With the latest session of the owner that the conversation belongs to.
-- sight: written together with a change of the instance
INSERT INTO conversation_summaries (org_id, id, conversation_id, message_id, content, session_id, created_at)
VALUES (
    %(org_id)s, %(id)s, %(conversation_id)s, %(message_id)s, %(content)s,
    (SELECT s.id
       FROM sessions s
      WHERE s.org_id = %(org_id)s
        AND (s.id IN (SELECT l.session_id FROM session_conversations l
                       WHERE l.org_id = %(org_id)s AND l.resource_id = %(resource_id)s AND l.key = %(key)s)
             OR (s.id = %(key)s AND %(resource_id)s = %(built_in)s))
        AND (s.user_id = %(user_id)s::text OR (s.user_id IS NULL AND s.agent_id = %(agent_id)s::text))
      ORDER BY s.last_activity_at DESC
      LIMIT 1),
    %(created_at)s
);

-- name: drop_summaries
-- The rows, and what recall finds them by.
-- sight: by the id of an instance that is being changed
WITH gone AS (
    DELETE FROM conversation_summaries
     WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
    RETURNING id
)
SELECT recall_drop(%(org_id)s, 'summary', ARRAY(SELECT id FROM gone));

-- name: put_flushed
-- One that was flushed before (and whose removal then failed) keeps its row; it is answered with that row's id.
-- sight: written together with a change of the instance
INSERT INTO conversation_flushed AS f (org_id, id, conversation_id, seq, message_id, message, flushed_at)
SELECT %(org_id)s, m.id, %(conversation_id)s, m.seq, m.message ->> 'id', m.message, %(now)s
  FROM jsonb_to_recordset(%(messages)s) AS m (id text, seq bigint, message jsonb)
ON CONFLICT (org_id, conversation_id, message_id) DO UPDATE SET flushed_at = excluded.flushed_at
RETURNING id, message;

-- name: drop_flushed
-- The rows of these messages (null: of all), and what recall finds them by.
-- sight: by the id of an instance that is being changed
WITH gone AS (
    DELETE FROM conversation_flushed
     WHERE org_id = %(org_id)s AND conversation_id = %(conversation_id)s
       AND (%(message_ids)s::text[] IS NULL OR message_id = ANY (%(message_ids)s))
    RETURNING id
)
SELECT recall_drop(%(org_id)s, 'flushed', ARRAY(SELECT id FROM gone));

-- name: drop_histories
-- All that is kept of the instances under a key, and what recall finds of it.
-- sight: the owner is part of the key
WITH h AS (
    SELECT conversation_id
      FROM conversation_histories
     WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND audience = %(audience)s AND key = %(key)s
), {dropping_histories}
SELECT recall_drop(%(org_id)s, 'summary', ARRAY(SELECT id FROM summaries)),
       recall_drop(%(org_id)s, 'flushed', ARRAY(SELECT id FROM flushed));

-- name: flushed_of
-- Flushed messages of an instance, in order.
-- sight: by the id of an instance that was opened for the caller
SELECT f.seq, f.message, f.flushed_at
  FROM conversation_flushed f
 WHERE f.org_id = %(org_id)s AND f.conversation_id = %(conversation_id)s
   AND (%(since)s::timestamptz IS NULL OR f.flushed_at >= %(since)s)
 ORDER BY f.seq;

-- name: count_flushed
-- sight: by the id of an instance that was opened for the caller
SELECT count(*)::int
  FROM conversation_flushed f
 WHERE f.org_id = %(org_id)s AND f.conversation_id = %(conversation_id)s
   AND (%(since)s::timestamptz IS NULL OR f.flushed_at >= %(since)s)
   AND (%(at)s::timestamptz IS NULL OR f.flushed_at = %(at)s);

-- name: part_of_flushed
-- A part of the flushed messages of an instance, in order; of those of one flush where its time is given.
-- sight: by the id of an instance that was opened for the caller
SELECT f.seq, f.message, f.flushed_at
  FROM conversation_flushed f
 WHERE f.org_id = %(org_id)s AND f.conversation_id = %(conversation_id)s
   AND (%(since)s::timestamptz IS NULL OR f.flushed_at >= %(since)s)
   AND (%(at)s::timestamptz IS NULL OR f.flushed_at = %(at)s)
 ORDER BY f.seq
 OFFSET %(offset)s
 LIMIT %(limit)s;

-- name: list_flushes
-- The changes of an instance that took messages out, newest first.
-- sight: by the id of an instance that was opened for the caller
SELECT r.id, r.created_at AS at, r.action, r.actor_type, r.actor_id, r.state ->> 'strategy' AS strategy,
       jsonb_array_length(r.state -> 'flushed_ids') AS removed, (r.state ->> 'message_count')::int AS message_count,
       (r.state ->> 'token_count')::int AS token_count
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.kind = 'conversation' AND r.object_id = %(conversation_id)s
   AND r.action IN ('flushed', 'appended') AND r.state ? 'flushed_ids'
   AND r.id < %(older_than)s AND r.id > %(newer_than)s
 ORDER BY r.id DESC
 LIMIT %(limit)s;

-- name: recalled_summaries
SELECT s.id, s.conversation_id, h.resource_id, h.key, h.user_id, h.agent_id, s.session_id, s.message_id, s.content,
       s.created_at
  FROM conversation_summaries s
  JOIN conversation_histories h ON h.org_id = s.org_id AND h.conversation_id = s.conversation_id
 WHERE s.org_id = %(org_id)s AND s.id = ANY (%(ids)s) AND {live}
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, h.audience);

-- name: recalled_flushed
SELECT f.id, f.conversation_id, h.resource_id, h.key, h.user_id, h.agent_id, f.message, f.flushed_at
  FROM conversation_flushed f
  JOIN conversation_histories h ON h.org_id = f.org_id AND h.conversation_id = f.conversation_id
 WHERE f.org_id = %(org_id)s AND f.id = ANY (%(ids)s) AND {live}
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, h.audience);

-- name: summaries_to_index
-- sight: embeds what is indexed already; nobody is shown it
SELECT s.id, s.content, h.audience, h.workspace_id, s.created_at
  FROM conversation_summaries s
  JOIN conversation_histories h ON h.org_id = s.org_id AND h.conversation_id = s.conversation_id
 WHERE s.org_id = %(org_id)s AND s.id = ANY (%(ids)s);

-- name: flushed_to_index
-- sight: embeds what is indexed already; nobody is shown it
SELECT f.id, f.message, h.audience, h.workspace_id
  FROM conversation_flushed f
  JOIN conversation_histories h ON h.org_id = f.org_id AND h.conversation_id = f.conversation_id
 WHERE f.org_id = %(org_id)s AND f.id = ANY (%(ids)s);
