-- name: read_turn
SELECT reminders
  FROM context_turns
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND session_id = %(session_id)s
   AND message_id = %(message_id)s
   AND agent_id = coalesce(%(agent_id)s::text, '');

-- name: keep_turn
-- Whoever comes first decides: gives what the turn was reminded of, which may be another's.
INSERT INTO context_turns AS t (org_id, user_id, agent_id, session_id, message_id, reminders, created_at)
VALUES (%(org_id)s, %(user_id)s, coalesce(%(agent_id)s::text, ''), %(session_id)s, %(message_id)s, %(reminders)s, %(now)s)
ON CONFLICT (org_id, user_id, session_id, message_id, agent_id) DO UPDATE
   SET reminders = t.reminders
RETURNING reminders;
