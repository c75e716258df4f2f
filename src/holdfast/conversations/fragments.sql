-- fragment: totals
id, version, message_count, token_count, roles, shares, next_seq, workspace_id, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at

-- fragment: dropping_histories
summaries AS (
    DELETE FROM conversation_summaries
     WHERE org_id = %(org_id)s AND conversation_id IN (SELECT conversation_id FROM h)
    RETURNING id
), flushed AS (
    DELETE FROM conversation_flushed
     WHERE org_id = %(org_id)s AND conversation_id IN (SELECT conversation_id FROM h)
    RETURNING id
), histories AS (
    DELETE FROM conversation_histories
     WHERE org_id = %(org_id)s AND conversation_id IN (SELECT conversation_id FROM h)
)
