-- name: orgs_to_sweep
SELECT org_id FROM conversations_to_sweep(%(now)s, %(flushed_before)s) AS org_id;

-- name: expired_conversations
-- Instances whose time is over, a few at a time; one that somebody writes to at this moment is theirs to end.
SELECT id, version, message_count, token_count, roles, shares, next_seq, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at, resource_id, key
  FROM conversations
 WHERE org_id = %(org_id)s AND expires_at <= %(now)s
 ORDER BY expires_at
 LIMIT %(limit)s
   FOR UPDATE SKIP LOCKED;

-- name: delete_expired
DELETE FROM conversations WHERE org_id = %(org_id)s AND id = ANY (%(ids)s);

-- name: drop_expired_summaries
-- Of instances that are kept elsewhere and ended there.
WITH gone AS (
    DELETE FROM conversation_summaries
     WHERE org_id = %(org_id)s AND id IN (SELECT id FROM conversation_summaries
                                           WHERE org_id = %(org_id)s AND expires_at <= %(now)s
                                           LIMIT %(limit)s
                                             FOR UPDATE SKIP LOCKED)
    RETURNING id
), dropped AS (
    SELECT recall_drop('summary', ARRAY(SELECT id FROM gone))
)
SELECT cardinality(ARRAY(SELECT id FROM gone)) FROM dropped;

-- name: forget_flushed_contents
-- Contents of flushes that are past their time; that they happened stays.
WITH old AS (
    SELECT id FROM revisions
     WHERE org_id = %(org_id)s AND kind = 'conversation' AND action IN ('flushed', 'appended') AND content IS NOT NULL
       AND created_at < %(flushed_before)s
     ORDER BY created_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), forgotten AS (
    UPDATE revisions r SET content = NULL, redacted_at = %(now)s
      FROM old
     WHERE r.org_id = %(org_id)s AND r.id = old.id
    RETURNING r.id
)
SELECT count(*)::int FROM forgotten;
