-- name: orgs_to_sweep
SELECT org_id FROM conversations_to_sweep(%(now)s, %(flushed_before)s) AS org_id;

-- name: expired_conversations
-- Expired instances, a few at a time; one that is being written to is ended by that write.
-- sight: the worker ends expired instances of every owner
SELECT {totals}, resource_id, user_id, agent_id, key
  FROM conversations
 WHERE org_id = %(org_id)s AND expires_at <= %(now)s
 ORDER BY expires_at
 LIMIT %(limit)s
   FOR UPDATE SKIP LOCKED;

-- name: delete_expired
-- sight: the worker ends expired instances of every owner
DELETE FROM conversations WHERE org_id = %(org_id)s AND id = ANY (%(ids)s);

-- name: drop_expired_histories
-- What is kept of instances that ended in another backend.
-- sight: the worker ends expired instances of every owner
WITH h AS (
    SELECT conversation_id
      FROM conversation_histories
     WHERE org_id = %(org_id)s AND expires_at <= %(now)s
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), {dropping_histories}, dropped AS (
    SELECT recall_drop(%(org_id)s, 'summary', ARRAY(SELECT id FROM summaries)),
           recall_drop(%(org_id)s, 'flushed', ARRAY(SELECT id FROM flushed))
)
SELECT cardinality(ARRAY(SELECT conversation_id FROM h)) FROM dropped;

-- name: drop_old_flushed
-- Flushed messages that are past their retention.
-- sight: the worker applies the retention for every owner
WITH old AS (
    SELECT id
      FROM conversation_flushed
     WHERE org_id = %(org_id)s AND flushed_at < %(flushed_before)s
     ORDER BY flushed_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM conversation_flushed f USING old WHERE f.org_id = %(org_id)s AND f.id = old.id
    RETURNING f.id
), dropped AS (
    SELECT recall_drop(%(org_id)s, 'flushed', ARRAY(SELECT id FROM gone))
)
SELECT cardinality(ARRAY(SELECT id FROM gone)) FROM dropped;
