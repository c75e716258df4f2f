-- name: read_turn
-- sight: a turn is named by the user that the caller acts for.
SELECT reminders, recalled
  FROM context_turns
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND session_id = %(session_id)s
   AND message_id = %(message_id)s;

-- name: keep_turn
-- Of each part the first request decides: gives what the turn got, which may be what another request found.
-- sight: a turn is named by the user that the caller acts for.
INSERT INTO context_turns AS t (org_id, user_id, session_id, message_id, reminders, recalled, created_at)
VALUES (%(org_id)s, %(user_id)s, %(session_id)s, %(message_id)s, %(reminders)s, %(recalled)s, %(now)s)
ON CONFLICT (org_id, user_id, session_id, message_id) DO UPDATE
   SET reminders = coalesce(t.reminders, excluded.reminders), recalled = coalesce(t.recalled, excluded.recalled)
RETURNING reminders, recalled;
