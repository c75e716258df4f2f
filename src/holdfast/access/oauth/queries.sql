-- sight: a grant is found by its id, which only its own secret carries; service.py compares that secret's digest.

-- name: open_grant
INSERT INTO oauth_grants (org_id, id, user_id, client_id, client_name, redirect_uri, resource, read_only, code_digest,
                          code_challenge, code_expires_at, created_at)
VALUES (%(org_id)s, %(id)s, %(user_id)s, %(client_id)s, %(client_name)s, %(redirect_uri)s, %(resource)s, %(read_only)s,
        %(code_digest)s, %(code_challenge)s, %(code_expires_at)s, %(now)s);

-- name: hold_grant
-- Nobody else uses the grant until the transaction is over. `key_revoked`: its access token was revoked by hand, which ends it.
SELECT g.id, g.user_id, g.client_id, g.client_name, g.redirect_uri, g.resource, g.read_only, g.code_digest, g.code_challenge,
       g.code_expires_at, g.code_used_at, g.key_id, g.refresh_digest, g.refresh_expires_at, g.used_digests, g.ended_at,
       EXISTS (SELECT FROM api_keys k WHERE k.org_id = g.org_id AND k.id = g.key_id AND k.revoked_at IS NOT NULL) AS key_revoked
  FROM oauth_grants g
 WHERE g.org_id = %(org_id)s AND g.id = %(id)s
   FOR UPDATE OF g;

-- name: renew_grant
UPDATE oauth_grants
   SET code_used_at = coalesce(code_used_at, %(now)s), key_id = %(key_id)s, refresh_digest = %(refresh_digest)s,
       refresh_expires_at = %(refresh_expires_at)s,
       used_digests = CASE WHEN refresh_digest IS NULL THEN used_digests ELSE used_digests || refresh_digest END
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: end_grant
UPDATE oauth_grants SET ended_at = coalesce(ended_at, %(now)s), refresh_digest = NULL WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: grant_of_key
SELECT id FROM oauth_grants WHERE org_id = %(org_id)s AND key_id = %(key_id)s;

-- name: end_key
-- Gives no row where it was revoked already.
UPDATE api_keys SET revoked_at = %(now)s
 WHERE org_id = %(org_id)s AND id = %(key_id)s AND revoked_at IS NULL
RETURNING id;
