-- sight: a session's own texts, for the session that the caller named and learning alone

-- name: record
WITH items AS (
    SELECT * FROM jsonb_to_recordset(%(items)s) AS i (digest text, kind text, object_id text, content text)
), used AS (
    INSERT INTO given_objects (org_id, object_id, given_at)
    SELECT DISTINCT ON (i.object_id) %(org_id)s, i.object_id, %(now)s FROM items i ORDER BY i.object_id
    ON CONFLICT (org_id, object_id) DO UPDATE SET given_at = excluded.given_at
)
INSERT INTO given_texts (org_id, session_id, audience, digest, kind, object_id, content, given_at)
SELECT DISTINCT ON (i.digest) %(org_id)s, %(session_id)s, %(audience)s, i.digest, i.kind, i.object_id, i.content, %(now)s
  FROM items i
 ORDER BY i.digest
ON CONFLICT (org_id, session_id, audience, digest) DO UPDATE SET given_at = excluded.given_at;

-- name: read
SELECT kind, object_id, content
  FROM given_texts
 WHERE org_id = %(org_id)s AND session_id = %(session_id)s AND audience = %(audience)s AND given_at >= %(since)s
 ORDER BY given_at DESC
 LIMIT %(limit)s;

-- name: erase
WITH objects AS (DELETE FROM given_objects WHERE org_id = %(org_id)s AND object_id = ANY (%(ids)s))
DELETE FROM given_texts WHERE org_id = %(org_id)s AND object_id = ANY (%(ids)s);

-- name: sweep
DELETE FROM given_texts WHERE org_id = %(org_id)s AND given_at < %(before)s;
