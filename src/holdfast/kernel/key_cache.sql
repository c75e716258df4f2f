-- name: find_key
-- The key that proves itself, with what its headers ask for. The sub-selects read its own org only: set_config in the
-- first CTE opens it, and only for one who holds the key.
WITH key AS MATERIALIZED (
    SELECT k.*, set_config('holdfast.org', k.org_id, true) AS entered
      FROM api_keys k
     WHERE k.digest = %(proof)s
)
SELECT key.org_id, key.id, key.kind, key.user_id, key.agent_id, key.workspace_id, key.expires_at, key.revoked_at,
       key.requests_per_minute, key.read_only, about.*
  FROM key, LATERAL key_context(key.entered, key.user_id, key.agent_id, %(workspace)s, %(user)s) AS about;

-- name: beat
SELECT pg_notify('holdfast_keys', %(nonce)s)::text;
