-- A store as it was at a time: each entry by its last version before `until_id`, an id that no version has.

-- fragment: entry_then
r.object_id AS id, r.parent_id AS store_id, r.label AS path, (r.state->>'size')::int AS size,
       r.state->>'content_sha256' AS content_sha256, r.version, coalesce(r.state->'metadata', '{}') AS metadata,
       (SELECT b.created_at
          FROM revisions b
         WHERE b.org_id = %(org_id)s AND b.kind = r.kind AND b.object_id = r.object_id AND b.version = 1) AS created_at,
       r.created_at AS updated_at

-- fragment: stood_then
r.org_id = %(org_id)s
   AND r.kind = 'store_entry'
   AND r.parent_id = %(store_id)s
   AND r.id < %(until_id)s
   AND r.action <> 'deleted'
   AND NOT EXISTS (SELECT FROM revisions n
                    WHERE n.org_id = %(org_id)s AND n.kind = r.kind AND n.object_id = r.object_id
                      AND n.id > r.id AND n.id < %(until_id)s)

-- name: read_entry
SELECT {entry_then}, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE {stood_then}
   AND r.object_id = %(entry_id)s
   AND sees_store({by}, s.workspace_id, s.audience);

-- name: read_entry_at_path
SELECT {entry_then}, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE {stood_then}
   AND r.label = %(path)s
   AND sees_store({by}, s.workspace_id, s.audience)
 ORDER BY r.id DESC
 LIMIT 1;

-- name: list_entries
-- With a `depth`, what lies deeper is rolled up: `rolled_up` is the folder's path, and its first entry stands for it.
-- sight: the service reads the store with it, in the same transaction
WITH items AS (
    SELECT {entry_then}, NULL::text AS content,
           CASE WHEN %(depth)s > 0 AND cardinality(below.segments) > %(depth)s::int
                THEN %(prefix)s::text || array_to_string(below.segments[1:%(depth)s::int], '/') || '/' END AS rolled_up
      FROM revisions r
     CROSS JOIN LATERAL (SELECT string_to_array(substr(r.label, char_length(%(prefix)s::text) + 1), '/')) AS below (segments)
     WHERE {stood_then}
       AND r.label COLLATE "C" >= %(start)s
       AND r.label COLLATE "C" < %(end)s
)
SELECT DISTINCT ON (coalesce(rolled_up, path) COLLATE "C") *
  FROM items
 ORDER BY coalesce(rolled_up, path) COLLATE "C", path COLLATE "C"
 LIMIT %(limit)s;
