-- Who sees a store is `sees_store` (functions.sql). Each statement that starts from what a caller named asks it.
--
-- Counts: every statement that adds, changes or deletes an entry also moves the counts of its store, in this order:
-- the entry's row, then the store's, which is locked for the shortest time. What touches several paths in one
-- transaction goes through `one_at_a_time` first. So no two of them ever wait for each other.

-- name: one_at_a_time
SELECT pg_advisory_xact_lock(hashtextextended('store ' || %(store_id)s::text, 0));

-- --- stores ---------------------------------------------------------------------------------------------------------

-- name: create_store
-- sight: a new store, made by the caller
INSERT INTO memory_stores AS s
       (org_id, id, workspace_id, name, name_folded, description, metadata, visibility, read_only, created_by, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(workspace_id)s, %(name)s, %(name_folded)s, %(description)s, %(metadata)s, %(visibility)s,
        %(read_only)s, %(created_by)s, %(now)s, %(now)s)
RETURNING {store};

-- name: read_store
SELECT {store}
  FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND sees_store({by}, s.workspace_id, s.audience);

-- name: list_stores
SELECT {store}
  FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND sees_store({by}, s.workspace_id, s.audience)
   AND (%(include_archived)s OR s.archived_at IS NULL)
   AND (%(name)s::text IS NULL OR starts_with(s.name_folded, %(name)s))
   AND (%(since)s::timestamptz IS NULL OR s.created_at >= %(since)s)
   AND (%(until)s::timestamptz IS NULL OR s.created_at <= %(until)s)
   AND s.id < %(older_than)s
   AND s.id > %(newer_than)s
 ORDER BY s.id DESC
 LIMIT %(limit)s;

-- name: change_store
-- What is not given stays; a key of the metadata that is given as null goes. Gives no row where the store is archived,
-- out of sight, If-Match fails, or it already is what was asked for.
UPDATE memory_stores s
   SET name = coalesce(%(name)s, s.name),
       name_folded = coalesce(%(name_folded)s, s.name_folded),
       description = coalesce(%(description)s, s.description),
       metadata = jsonb_strip_nulls(s.metadata || coalesce(%(metadata)s::jsonb, '{}')),
       visibility = coalesce(%(visibility)s, s.visibility),
       read_only = coalesce(%(read_only)s, s.read_only),
       version = s.version + 1,
       updated_at = later(s.updated_at, %(now)s)
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND s.archived_at IS NULL
   AND matches(s.version, %(if_match)s)
   AND sees_store({by}, s.workspace_id, s.audience)
   AND (coalesce(%(name)s, s.name) <> s.name
        OR coalesce(%(description)s, s.description) <> s.description
        OR coalesce(%(visibility)s, s.visibility) <> s.visibility
        OR coalesce(%(read_only)s, s.read_only) <> s.read_only
        OR jsonb_strip_nulls(s.metadata || coalesce(%(metadata)s::jsonb, '{}')) <> s.metadata)
RETURNING {store};

-- name: archive_store
-- Gives no row where the store is archived already, out of sight, or If-Match fails.
UPDATE memory_stores s
   SET archived_at = later(s.updated_at, %(now)s),
       version = s.version + 1,
       updated_at = later(s.updated_at, %(now)s)
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND s.archived_at IS NULL
   AND matches(s.version, %(if_match)s)
   AND sees_store({by}, s.workspace_id, s.audience)
RETURNING {store};

-- name: delete_entries
-- sight: the service has read the store with `read_store`
-- Before the store's own row: a writer holds its entry while it waits for the store.
DELETE FROM store_entries WHERE org_id = %(org_id)s AND store_id = %(store_id)s;

-- name: delete_store
-- sight: the service has read the store with `read_store`
-- Waits for the writers that are under way; none begins after it. Gives no row where If-Match fails.
DELETE FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND matches(s.version, %(if_match)s)
RETURNING s.version;

-- name: delete_versions
-- sight: the service has read the store with `read_store`
DELETE FROM revisions WHERE org_id = %(org_id)s AND kind = 'store_entry' AND parent_id = %(store_id)s;

-- name: delete_store_history
-- sight: the service has read the store with `read_store`
DELETE FROM revisions WHERE org_id = %(org_id)s AND kind = 'store' AND object_id = %(store_id)s;

-- --- entries --------------------------------------------------------------------------------------------------------

-- name: read_entry
SELECT {entry}, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.id = %(entry_id)s
   AND e.store_id = %(store_id)s
   AND sees_store({by}, s.workspace_id, s.audience);

-- name: read_entry_at_path
SELECT {entry}, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.path = %(path)s
   AND sees_store({by}, s.workspace_id, s.audience);

-- name: list_entries
-- sight: the service reads the store with it, in the same transaction
SELECT {entry},
       CASE WHEN %(with_content)s THEN e.content END AS content
  FROM store_entries e
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.path >= %(start)s
   AND e.path < %(end)s
 ORDER BY e.path
 LIMIT %(limit)s;

-- name: list_folders
-- sight: the service reads the store with it, in the same transaction
-- One step per item, not per entry: from each it jumps to the first path after it, and past a whole folder where that
-- folder is the item. `rolled_up` is its path; where it is null, the entry itself is.
WITH RECURSIVE walk AS (
    SELECT NULL::text AS id, NULL::text COLLATE "C" AS rolled_up, %(start)s::text COLLATE "C" AS next_start
    UNION ALL
    SELECT found.id, found.rolled_up, coalesce(rtrim(found.rolled_up, '/') || '0', found.path || E'\x01')
      FROM walk
     CROSS JOIN LATERAL (
        SELECT e.id, e.path,
               CASE WHEN cardinality(below.segments) > %(depth)s::int
                    THEN %(prefix)s::text || array_to_string(below.segments[1:%(depth)s::int], '/') || '/' END AS rolled_up
          FROM store_entries e
         CROSS JOIN LATERAL (SELECT string_to_array(substr(e.path, char_length(%(prefix)s::text) + 1), '/')) AS below (segments)
         WHERE e.org_id = %(org_id)s
           AND e.store_id = %(store_id)s
           AND e.path >= walk.next_start
           AND e.path < %(end)s
         ORDER BY e.path
         LIMIT 1
     ) AS found
)
, items AS (
    SELECT id, rolled_up FROM walk WHERE id IS NOT NULL LIMIT %(limit)s
)
SELECT {entry},
       CASE WHEN %(with_content)s THEN e.content END AS content, items.rolled_up
  FROM items
  JOIN store_entries e ON e.org_id = %(org_id)s AND e.id = items.id
 ORDER BY coalesce(items.rolled_up, e.path);

-- name: create_entry
-- Gives no row where the path is taken, or the store is archived or out of sight.
WITH made AS (
    INSERT INTO store_entries
           (org_id, id, store_id, path, content, size, content_sha256, metadata, version, created_at, updated_at)
    SELECT %(org_id)s, %(id)s, s.id, %(path)s, %(content)s, %(size)s, %(sha256)s, %(metadata)s, %(version)s,
           %(created_at)s, %(updated_at)s
      FROM memory_stores s
     WHERE s.org_id = %(org_id)s
       AND s.id = %(store_id)s
       AND {writable}
       AND sees_store({by}, s.workspace_id, s.audience)
    ON CONFLICT DO NOTHING
    RETURNING id, store_id, path, size, content_sha256, version, metadata, created_at, updated_at, content
), counted AS (
    UPDATE memory_stores s
       SET entry_count = s.entry_count + 1, total_size = s.total_size + made.size
      FROM made
     WHERE s.org_id = %(org_id)s AND s.id = made.store_id AND s.archived_at IS NULL
    RETURNING s.id
)
SELECT made.* FROM made, counted;

-- name: update_entry
-- Gives no row where the entry is not as expected or already is what was asked for, or the store is archived.
WITH before AS (
    SELECT e.id, e.version, e.size, e.content_sha256
      FROM store_entries e
      JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
     WHERE e.org_id = %(org_id)s
       AND e.id = %(entry_id)s
       AND e.store_id = %(store_id)s
       AND {writable}
       AND sees_store({by}, s.workspace_id, s.audience)
       FOR UPDATE OF e
), written AS (
    UPDATE store_entries e
       SET path = coalesce(%(path)s, e.path),
           content = coalesce(%(content)s, e.content),
           size = coalesce(%(size)s, e.size),
           content_sha256 = coalesce(%(sha256)s, e.content_sha256),
           metadata = coalesce(%(metadata)s::jsonb, e.metadata),
           version = e.version + 1,
           updated_at = later(e.updated_at, %(now)s)
      FROM before
     WHERE e.org_id = %(org_id)s
       AND e.id = before.id
       AND (%(version)s::int IS NULL OR before.version = %(version)s)
       AND matches(before.version, %(if_match)s)
       AND (%(expected_sha256)s::text IS NULL OR before.content_sha256 = %(expected_sha256)s)
       AND (coalesce(%(path)s, e.path) <> e.path
            OR coalesce(%(content)s, e.content) <> e.content
            OR coalesce(%(metadata)s::jsonb, e.metadata) <> e.metadata)
    RETURNING {entry}, e.content, e.size - before.size AS growth
), counted AS (
    UPDATE memory_stores s
       SET total_size = s.total_size + written.growth
      FROM written
     WHERE s.org_id = %(org_id)s AND s.id = written.store_id AND s.archived_at IS NULL
    RETURNING s.id
)
SELECT written.id, written.store_id, written.path, written.size, written.content_sha256, written.version, written.metadata, written.created_at, written.updated_at, written.content
  FROM written, counted;

-- name: delete_entry
-- Also where the store is archived. Gives no row where the entry is not there or not as expected.
WITH gone AS (
    DELETE FROM store_entries e
     USING memory_stores s
     WHERE e.org_id = %(org_id)s
       AND e.id = %(entry_id)s
       AND e.store_id = %(store_id)s
       AND (%(version)s::int IS NULL OR e.version = %(version)s)
       AND matches(e.version, %(if_match)s)
       AND (%(expected_sha256)s::text IS NULL OR e.content_sha256 = %(expected_sha256)s)
       AND s.org_id = e.org_id
       AND s.id = e.store_id
       AND (NOT s.read_only OR %(writes_read_only)s)
       AND sees_store({by}, s.workspace_id, s.audience)
    RETURNING e.id, e.store_id, e.path, e.size, e.version,
              later(e.updated_at, %(now)s) AS deleted_at
), counted AS (
    UPDATE memory_stores s
       SET entry_count = s.entry_count - 1, total_size = s.total_size - gone.size
      FROM gone
     WHERE s.org_id = %(org_id)s AND s.id = gone.store_id
    RETURNING s.id
)
SELECT gone.id, gone.path, gone.version, gone.deleted_at FROM gone, counted;

-- name: read_tree_conflict
-- An entry at, above or below a path, other than `except_id`.
SELECT {entry}, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.id <> %(except_id)s
   AND sees_store({by}, s.workspace_id, s.audience)
   AND (e.path = ANY (%(at_or_above)s::text[]) OR (e.path >= %(below_start)s AND e.path < %(below_end)s))
 ORDER BY e.path
 LIMIT 1;

-- name: list_version_ids
-- sight: the entries were read as the caller sees them
-- The ids of versions, by the entry and the number.
SELECT r.object_id AS entry_id, r.id AS version_id
  FROM unnest(%(entry_ids)s::text[], %(versions)s::int[]) AS e (id, version)
  JOIN revisions r ON r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = e.id AND r.version = e.version;
