-- name: holders
-- Whose a conversation is: the users of its sessions, each by the latest of theirs, and the agents of those without one.
SELECT DISTINCT ON (s.user_id, CASE WHEN s.user_id IS NULL THEN s.agent_id END)
       s.user_id, CASE WHEN s.user_id IS NULL THEN s.agent_id END AS agent_id, s.id AS session_id, s.workspace_id
  FROM sessions s
 WHERE s.org_id = %(org_id)s
   AND (s.id IN (SELECT l.session_id FROM session_conversations l
                  WHERE l.org_id = %(org_id)s AND l.resource_id = %(resource_id)s AND l.key = %(key)s)
        OR (s.id = %(key)s AND %(resource_id)s = %(built_in)s))
   AND (s.user_id IS NOT NULL OR s.agent_id IS NOT NULL)
 ORDER BY s.user_id, 2, s.last_activity_at DESC;

-- name: put_summary
INSERT INTO conversation_summaries (
    org_id, id, conversation_id, resource_id, key, message_id, content, user_id, agent_id, session_id, workspace_id,
    created_at, expires_at
)
VALUES (
    %(org_id)s, %(id)s, %(conversation_id)s, %(resource_id)s, %(key)s, %(message_id)s, %(content)s, %(user_id)s,
    %(agent_id)s, %(session_id)s, %(workspace_id)s, %(created_at)s, %(expires_at)s
);

-- name: drop_summaries
-- The rows, and what recall finds them by.
WITH gone AS (
    DELETE FROM conversation_summaries
     WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s
    RETURNING id
)
SELECT recall_drop('summary', ARRAY(SELECT id FROM gone));

-- name: summaries_live_on
UPDATE conversation_summaries SET expires_at = %(expires_at)s
 WHERE org_id = %(org_id)s AND resource_id = %(resource_id)s AND key = %(key)s;

-- name: recalled_summaries
SELECT id, conversation_id, resource_id, key, session_id, message_id, content, created_at
  FROM conversation_summaries
 WHERE org_id = %(org_id)s
   AND id = ANY (%(ids)s)
   AND (user_id = %(user_id)s::text OR agent_id = %(agent_id)s::text)
   AND (expires_at IS NULL OR expires_at > %(now)s);

-- name: summaries_to_index
SELECT id, content, user_id, agent_id, workspace_id, created_at
  FROM conversation_summaries
 WHERE org_id = %(org_id)s AND id = ANY (%(ids)s);
