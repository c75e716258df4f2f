-- name: read_resource
SELECT id, config, revision, created_at, updated_at
  FROM memory_resources
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: put_resource
-- Gives no row where If-Match fails.
INSERT INTO memory_resources AS r (org_id, id, config, created_at, updated_at)
SELECT %(org_id)s, %(id)s, %(config)s, %(now)s, %(now)s
 WHERE coalesce((SELECT true FROM memory_resources WHERE org_id = %(org_id)s AND id = %(id)s), %(if_match)s::int[] IS NULL)
ON CONFLICT (org_id, id) DO UPDATE
   SET config = excluded.config, revision = r.revision + 1,
       updated_at = later(r.updated_at, %(now)s)
 WHERE matches(r.revision, %(if_match)s)
RETURNING id, config, revision, created_at, updated_at;

-- name: continue_counting
-- A resource made again after it was deleted goes on counting its revisions.
UPDATE memory_resources SET revision = %(revision)s
 WHERE org_id = %(org_id)s AND id = %(id)s
RETURNING id, config, revision, created_at, updated_at;

-- name: delete_resource
-- Gives no row where there is none, or If-Match fails.
DELETE FROM memory_resources
 WHERE org_id = %(org_id)s AND id = %(id)s AND matches(revision, %(if_match)s)
RETURNING revision;

-- name: list_resources
SELECT id, config, revision, created_at, updated_at
  FROM memory_resources
 WHERE org_id = %(org_id)s
   AND (%(after_id)s::text IS NULL OR (created_at, id) <
        (SELECT created_at, id FROM memory_resources WHERE org_id = %(org_id)s AND id = %(after_id)s))
   AND (%(before_id)s::text IS NULL OR (created_at, id) >
        (SELECT created_at, id FROM memory_resources WHERE org_id = %(org_id)s AND id = %(before_id)s))
 ORDER BY created_at DESC, id DESC
 LIMIT %(limit)s;

-- name: org_made_at
SELECT created_at FROM orgs WHERE org_id = %(org_id)s;
