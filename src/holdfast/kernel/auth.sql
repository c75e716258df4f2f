-- name: find_browser_session
-- As a key is found (key_cache.sql).
WITH session AS MATERIALIZED (
    SELECT s.*, set_config('holdfast.org', s.org_id, true) AS entered
      FROM browser_sessions s
     WHERE s.digest = %(proof)s
)
SELECT s.org_id, s.digest, s.user_id, about.owner, s.csrf_token, s.stepped_up_at, s.expires_at, about.workspace_known
  FROM session s, LATERAL session_context(s.entered, s.user_id, %(workspace)s) AS about;
