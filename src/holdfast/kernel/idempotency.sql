-- name: wait_for_the_other
SELECT pg_advisory_xact_lock(
    hashtextextended(concat_ws(' ', %(org_id)s::text, %(credential_id)s::text, %(endpoint)s::text, %(key)s::text), 0));

-- name: find_answer
SELECT body_digest, status, headers, body
  FROM idempotency_keys
 WHERE org_id = %(org_id)s
   AND credential_id = %(credential_id)s
   AND endpoint = %(endpoint)s
   AND key = %(key)s
   AND created_at > %(since)s;

-- name: keep_answer
-- Takes some that are too old along, so that nobody has to come by and sweep.
WITH old AS (
    DELETE FROM idempotency_keys
     WHERE org_id = %(org_id)s
       AND (credential_id, endpoint, key) IN (
           SELECT credential_id, endpoint, key FROM idempotency_keys
            WHERE org_id = %(org_id)s AND created_at <= %(before)s AND key <> %(key)s
            ORDER BY created_at
            LIMIT 20
              FOR UPDATE SKIP LOCKED)
)
INSERT INTO idempotency_keys (org_id, credential_id, endpoint, key, body_digest, status, headers, body, created_at)
VALUES (%(org_id)s, %(credential_id)s, %(endpoint)s, %(key)s, %(body_digest)s, %(status)s, %(headers)s, %(body)s, %(now)s)
ON CONFLICT (org_id, credential_id, endpoint, key) DO UPDATE
   SET body_digest = excluded.body_digest, status = excluded.status, headers = excluded.headers,
       body = excluded.body, created_at = excluded.created_at;

-- name: forget_mentions
-- Every id that an answer mentions is read out of it once, so that erasing a thousand things costs what erasing one does.
UPDATE idempotency_keys k
   SET status = 404,
       headers = '{"content-type": "application/problem+json"}',
       body = convert_to('{"type": "urn:holdfast:error:not_found", "title": "Not found", "status": 404, "detail": '
                         '"what this request was answered with has been erased", "code": "not_found", "request_id": ""}',
                         'UTF8')
 WHERE k.org_id = %(org_id)s
   AND EXISTS (SELECT
                 FROM regexp_matches(encode(k.body, 'escape'), '[a-z]+_[0-9a-f]{32}', 'g') AS mentioned (id)
                WHERE mentioned.id[1] = ANY (%(ids)s));
