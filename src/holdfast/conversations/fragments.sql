-- fragment: totals
id, version, message_count, token_count, roles, shares, next_seq, workspace_id, expires_at, pending_job, last_flush, last_error,
       created_at, updated_at
