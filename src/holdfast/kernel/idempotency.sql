-- An answer may be kept while something that it mentions is being erased. Both take one lock of the org (keepers share it,
-- whoever erases has it alone), and take it last, when they want no other any more: so no two of them wait for each other.
-- The keeper that comes first has its answer taken away by the erasure; the one that comes after finds the erasure's mark.

-- name: wait_for_the_other
SELECT pg_advisory_xact_lock(
    hashtextextended(concat_ws(' ', %(org_id)s::text, %(credential_id)s::text, %(endpoint)s::text, %(key)s::text), 0));

-- name: find_answer
-- Always a row: without a kept answer it says only what was forgotten before this request looked at anything.
SELECT k.body_digest, k.status, k.headers, k.body,
       coalesce((SELECT max(f.number) FROM forgotten f WHERE f.org_id = %(org_id)s), 0) AS forgotten_before
  FROM (SELECT) AS always
  LEFT JOIN idempotency_keys k
    ON k.org_id = %(org_id)s
   AND k.credential_id = %(credential_id)s
   AND k.endpoint = %(endpoint)s
   AND k.key = %(key)s
   AND k.created_at > %(since)s;

-- name: wait_for_erasures
SELECT pg_advisory_xact_lock_shared(hashtextextended('kept answers ' || %(org_id)s::text, 0));

-- name: wait_for_keepers
SELECT pg_advisory_xact_lock(hashtextextended('kept answers ' || %(org_id)s::text, 0));

-- name: keep_answer
-- An answer that mentions something erased since this request began is kept without its body, unless this request itself
-- erased it. Also deletes up to 20 expired keys, so no sweep job is needed.
WITH old AS (
    DELETE FROM idempotency_keys
     WHERE org_id = %(org_id)s
       AND (credential_id, endpoint, key) IN (
           SELECT credential_id, endpoint, key FROM idempotency_keys
            WHERE org_id = %(org_id)s AND created_at <= %(before)s AND key <> %(key)s
            ORDER BY created_at
            LIMIT 20
              FOR UPDATE SKIP LOCKED)
), lately AS MATERIALIZED (
    SELECT f.object_id
      FROM forgotten f
     WHERE f.org_id = %(org_id)s
       AND f.number > %(forgotten_before)s
       AND f.xmin <> pg_current_xact_id()::xid
), mention AS (
    SELECT EXISTS (SELECT FROM lately)
       AND EXISTS (SELECT
                     FROM regexp_matches(encode(%(body)s::bytea, 'escape'), '[a-z]+_[0-9a-f]{32}', 'g') AS mentioned (id)
                    WHERE mentioned.id[1] IN (SELECT object_id FROM lately)) AS of_it
)
INSERT INTO idempotency_keys (org_id, credential_id, endpoint, key, user_id, body_digest, status, headers, body, created_at)
SELECT %(org_id)s, %(credential_id)s, %(endpoint)s, %(key)s, %(user_id)s::text, %(body_digest)s,
       CASE WHEN mention.of_it THEN 404 ELSE %(status)s::int END,
       CASE WHEN mention.of_it THEN '{}'::jsonb ELSE %(headers)s::jsonb END,
       CASE WHEN mention.of_it THEN ''::bytea ELSE %(body)s::bytea END,
       %(kept_at)s
  FROM mention
ON CONFLICT (org_id, credential_id, endpoint, key) DO UPDATE
   SET body_digest = excluded.body_digest, status = excluded.status, headers = excluded.headers,
       body = excluded.body, created_at = excluded.created_at;

-- name: find_mentions
-- The answers that mention these objects. Every id that an answer mentions is read out of it once, so that erasing a
-- thousand things costs what erasing one does. Holds nothing: this may take a while, and keepers do not wait for it.
SELECT k.credential_id, k.endpoint, k.key
  FROM idempotency_keys k
 WHERE k.org_id = %(org_id)s
   AND EXISTS (SELECT
                 FROM regexp_matches(encode(k.body, 'escape'), '[a-z]+_[0-9a-f]{32}', 'g') AS mentioned (id)
                WHERE mentioned.id[1] = ANY (%(ids)s));

-- name: mark_forgotten
-- RETURNING: without it Citus would COPY the rows, which row-level security refuses.
-- Marks are of use while a request that began before them is under way; those of another day go.
WITH old AS (
    DELETE FROM forgotten WHERE org_id = %(org_id)s AND forgotten_at <= %(before)s
)
INSERT INTO forgotten (org_id, object_id, forgotten_at)
SELECT %(org_id)s, each.id, %(now)s FROM unnest(%(ids)s::text[]) AS each (id)
RETURNING number;

-- name: forget_found
-- What this request was answered with is gone; that it was answered stays.
UPDATE idempotency_keys k
   SET status = 404, headers = '{}', body = ''
  FROM unnest(%(credential_ids)s::text[], %(endpoints)s::text[], %(keys)s::text[]) AS found (credential_id, endpoint, key)
 WHERE k.org_id = %(org_id)s
   AND k.credential_id = found.credential_id
   AND k.endpoint = found.endpoint
   AND k.key = found.key;

-- name: forget_latest
-- The same for answers that were kept after `find_mentions` looked.
UPDATE idempotency_keys k
   SET status = 404, headers = '{}', body = ''
 WHERE k.org_id = %(org_id)s
   AND k.created_at > %(since)s
   AND EXISTS (SELECT
                 FROM regexp_matches(encode(k.body, 'escape'), '[a-z]+_[0-9a-f]{32}', 'g') AS mentioned (id)
                WHERE mentioned.id[1] = ANY (%(ids)s));
