-- name: read_turn
-- sight: a turn is named by the user that the caller acts for.
SELECT reminders
  FROM context_turns
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND session_id = %(session_id)s
   AND message_id = %(message_id)s;

-- name: keep_turn
-- The first request decides: gives what the turn was reminded of, which may be what another request found.
-- sight: a turn is named by the user that the caller acts for.
INSERT INTO context_turns AS t (org_id, user_id, session_id, message_id, reminders, created_at)
VALUES (%(org_id)s, %(user_id)s, %(session_id)s, %(message_id)s, %(reminders)s, %(now)s)
ON CONFLICT (org_id, user_id, session_id, message_id) DO UPDATE
   SET reminders = t.reminders
RETURNING reminders;
