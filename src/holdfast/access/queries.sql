-- name: find_accounts
SELECT org_id, id, email, owner, password_hash, totp_secret, totp_confirmed_at IS NOT NULL AS totp_confirmed,
       totp_last_step
  FROM users
 WHERE email = %(proof)s
 ORDER BY created_at
 LIMIT 5;

-- name: read_account
SELECT org_id, id, email, owner, password_hash, totp_secret, totp_confirmed_at IS NOT NULL AS totp_confirmed,
       totp_last_step
  FROM users
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: use_totp_step
-- Gives no row where the code was used meanwhile.
UPDATE users SET totp_last_step = %(step)s
 WHERE org_id = %(org_id)s AND id = %(id)s AND coalesce(totp_last_step, 0) < %(step)s
RETURNING id;

-- name: set_password
UPDATE users SET password_hash = %(password_hash)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s
RETURNING version;

-- name: end_other_sessions
DELETE FROM browser_sessions WHERE org_id = %(org_id)s AND user_id = %(id)s AND digest <> %(keep)s;

-- name: propose_totp
UPDATE users SET totp_secret = %(secret)s, totp_confirmed_at = NULL, totp_last_step = NULL
 WHERE org_id = %(org_id)s AND id = %(id)s AND totp_confirmed_at IS NULL
RETURNING id;

-- name: confirm_totp
UPDATE users SET totp_confirmed_at = %(now)s, totp_last_step = %(step)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s
RETURNING version;

-- name: drop_totp
UPDATE users SET totp_secret = NULL, totp_confirmed_at = NULL, totp_last_step = NULL, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s
RETURNING version;

-- name: open_session
WITH over AS (
    DELETE FROM browser_sessions WHERE org_id = %(org_id)s AND expires_at <= %(now)s
)
INSERT INTO browser_sessions (org_id, digest, user_id, csrf_token, created_at, expires_at)
VALUES (%(org_id)s, %(digest)s, %(user_id)s, %(csrf_token)s, %(now)s, %(expires_at)s);

-- name: step_up
UPDATE browser_sessions SET stepped_up_at = %(now)s WHERE org_id = %(org_id)s AND digest = %(digest)s;

-- name: close_session
DELETE FROM browser_sessions WHERE org_id = %(org_id)s AND digest = %(digest)s;

-- name: open_link
INSERT INTO sign_in_links (org_id, digest, user_id, created_at, expires_at)
VALUES (%(org_id)s, %(digest)s, %(user_id)s, %(now)s, %(expires_at)s);

-- name: find_link
SELECT org_id, user_id FROM sign_in_links WHERE digest = %(proof)s AND expires_at > %(now)s;

-- name: use_link
-- Gives no row where it was used meanwhile: a link opens once.
DELETE FROM sign_in_links WHERE org_id = %(org_id)s AND digest = %(digest)s RETURNING user_id;

-- name: count_attempt
-- Gives a row for each of the two counters that took the attempt; fewer than two: one of them has to wait. The rows are locked
-- in the order of their names, and each is judged as the attempt before it left it.
WITH known AS (
    SELECT EXISTS (SELECT FROM sign_in_failures
                    WHERE subject = %(known)s AND signed_in_at > %(now)s::timestamptz - interval '90 days') AS is_known
), counters AS (
    SELECT CASE WHEN is_known THEN %(known)s ELSE %(account)s END AS subject FROM known
    UNION ALL
    SELECT %(address)s
)
INSERT INTO sign_in_failures AS f (subject, failures, failed_at)
SELECT subject, 1, %(now)s FROM counters ORDER BY subject
ON CONFLICT (subject) DO UPDATE
   SET failures = CASE WHEN f.failed_at > %(now)s::timestamptz - interval '1 hour' THEN f.failures + 1 ELSE 1 END,
       failed_at = greatest(f.failed_at, %(now)s)
 WHERE f.failures < CASE f.subject WHEN %(address)s THEN %(free_of_address)s::int ELSE %(free_of_account)s::int END
    OR f.failed_at + sign_in_wait(
           f.failures,
           CASE f.subject WHEN %(address)s THEN %(free_of_address)s::int ELSE %(free_of_account)s::int END,
           CASE WHEN (SELECT is_known FROM known) THEN %(max_wait_of_known_s)s::int ELSE %(max_wait_s)s::int END
       ) <= %(now)s
RETURNING subject;

-- name: attempt_wait
-- The seconds until the next attempt is taken.
WITH known AS (
    SELECT EXISTS (SELECT FROM sign_in_failures
                    WHERE subject = %(known)s AND signed_in_at > %(now)s::timestamptz - interval '90 days') AS is_known
), counters AS (
    SELECT CASE WHEN is_known THEN %(known)s ELSE %(account)s END AS subject, %(free_of_account)s::int AS free, is_known
      FROM known
    UNION ALL
    SELECT %(address)s, %(free_of_address)s::int, is_known FROM known
)
SELECT coalesce(max(ceil(extract(epoch FROM f.failed_at - %(now)s + sign_in_wait(
           f.failures, c.free, CASE WHEN c.is_known THEN %(max_wait_of_known_s)s::int ELSE %(max_wait_s)s::int END
       )))), 0)::int
  FROM counters c JOIN sign_in_failures f USING (subject);

-- name: forget_attempts
-- The counter of the account starts anew; of the address's only this attempt is taken back. Old counters are deleted.
WITH address AS (
    UPDATE sign_in_failures SET failures = greatest(0, failures - 1) WHERE subject = %(address)s
)
DELETE FROM sign_in_failures
 WHERE subject <> %(address)s
   AND (subject = ANY (%(subjects)s)
        OR failed_at < %(now)s::timestamptz - interval '1 day'
           AND (signed_in_at IS NULL OR signed_in_at < %(now)s::timestamptz - interval '90 days'));

-- name: know_address
INSERT INTO sign_in_failures (subject, failures, failed_at, signed_in_at)
VALUES (%(known)s, 0, %(now)s, %(now)s)
ON CONFLICT (subject) DO UPDATE SET failures = 0, signed_in_at = excluded.signed_in_at;

-- name: create_key
INSERT INTO api_keys (org_id, id, kind, name, digest, prefix, user_id, agent_id, workspace_id, requests_per_minute,
                      read_only, created_at, expires_at)
VALUES (%(org_id)s, %(id)s, %(kind)s, %(name)s, %(digest)s, %(prefix)s, %(user_id)s, %(agent_id)s, %(workspace_id)s,
        %(requests_per_minute)s, %(read_only)s, %(now)s, %(expires_at)s);

-- name: add_user
INSERT INTO users (org_id, id, created_at, updated_at)
VALUES (%(org_id)s, %(user_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: workspace_exists
SELECT EXISTS (SELECT FROM workspaces WHERE org_id = %(org_id)s AND id = %(workspace_id)s);

-- name: revoke_key
-- Gives no row where there is no such key, or it is revoked already.
UPDATE api_keys SET revoked_at = %(now)s
 WHERE org_id = %(org_id)s AND id = %(id)s AND revoked_at IS NULL AND (%(all_users)s OR user_id = %(user_id)s::text)
RETURNING id;

-- name: list_keys
SELECT id, kind, name, prefix, user_id, agent_id, workspace_id, requests_per_minute, created_at, expires_at, revoked_at
  FROM api_keys
 WHERE org_id = %(org_id)s
   AND (%(all_users)s OR user_id = %(user_id)s::text)
   AND id < %(older_than)s
   AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;
