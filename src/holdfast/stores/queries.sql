-- A store belongs to the org; once the org has workspaces, to the one it was made in. Each statement that starts from
-- what a caller named says so in its WHERE.
--
-- Counts: every statement that adds, changes or takes away an entry also moves the counts of its store, in this order:
-- the entry's row, then the store's, which is held for the shortest time. What touches several paths in one
-- transaction goes through `one_at_a_time` first. So no two of them ever wait for each other.

-- name: one_at_a_time
SELECT pg_advisory_xact_lock(hashtextextended('store ' || %(store_id)s::text, 0));

-- name: plan_for_these_values
-- The filters of a list are optional: a plan made for any values would have to walk past what these leave out.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- --- stores ---------------------------------------------------------------------------------------------------------

-- name: create_store
INSERT INTO memory_stores AS s
       (org_id, id, workspace_id, name, name_folded, description, metadata, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(workspace_id)s, %(name)s, %(name_folded)s, %(description)s, %(metadata)s, %(now)s, %(now)s)
RETURNING s.id, s.name, s.description, s.status, s.entry_count, s.total_size, s.metadata, s.version, s.created_at, s.updated_at,
          s.archived_at;

-- name: read_store
SELECT s.id, s.name, s.description, s.status, s.entry_count, s.total_size, s.metadata, s.version, s.created_at, s.updated_at,
       s.archived_at
  FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s));

-- name: list_stores
SELECT s.id, s.name, s.description, s.status, s.entry_count, s.total_size, s.metadata, s.version, s.created_at, s.updated_at,
       s.archived_at
  FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
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
       version = s.version + 1,
       updated_at = greatest(%(now)s, s.updated_at + interval '1 microsecond')
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND s.archived_at IS NULL
   AND matches(s.version, %(if_match)s)
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
   AND (coalesce(%(name)s, s.name) <> s.name
        OR coalesce(%(description)s, s.description) <> s.description
        OR jsonb_strip_nulls(s.metadata || coalesce(%(metadata)s::jsonb, '{}')) <> s.metadata)
RETURNING s.id, s.name, s.description, s.status, s.entry_count, s.total_size, s.metadata, s.version, s.created_at, s.updated_at,
          s.archived_at;

-- name: archive_store
-- Gives no row where the store is archived already, out of sight, or If-Match fails.
UPDATE memory_stores s
   SET archived_at = greatest(%(now)s, s.updated_at + interval '1 microsecond'),
       version = s.version + 1,
       updated_at = greatest(%(now)s, s.updated_at + interval '1 microsecond')
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND s.archived_at IS NULL
   AND matches(s.version, %(if_match)s)
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
RETURNING s.id, s.name, s.description, s.status, s.entry_count, s.total_size, s.metadata, s.version, s.created_at, s.updated_at,
          s.archived_at;

-- name: delete_entries
-- Before the store's own row: a writer holds its entry while it waits for the store.
DELETE FROM store_entries WHERE org_id = %(org_id)s AND store_id = %(store_id)s;

-- name: delete_store
-- Waits for the writers that are under way; none begins after it. Gives no row where If-Match fails.
DELETE FROM memory_stores s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND matches(s.version, %(if_match)s)
RETURNING s.version;

-- name: delete_versions
DELETE FROM revisions WHERE org_id = %(org_id)s AND kind = 'store_entry' AND parent_id = %(store_id)s;

-- name: delete_store_history
DELETE FROM revisions WHERE org_id = %(org_id)s AND kind = 'store' AND object_id = %(store_id)s;

-- --- entries --------------------------------------------------------------------------------------------------------

-- name: read_entry
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.id = %(entry_id)s
   AND e.store_id = %(store_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s));

-- name: read_entry_at_path
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.path = %(path)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s));

-- name: list_entries
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at,
       CASE WHEN %(with_content)s THEN e.content END AS content
  FROM store_entries e
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.path >= %(start)s
   AND e.path < %(end)s
 ORDER BY e.path
 LIMIT %(limit)s;

-- name: list_folders
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
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at,
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
       AND s.archived_at IS NULL
       AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
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
       AND s.archived_at IS NULL
       AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
       FOR UPDATE OF e
), written AS (
    UPDATE store_entries e
       SET path = coalesce(%(path)s, e.path),
           content = coalesce(%(content)s, e.content),
           size = coalesce(%(size)s, e.size),
           content_sha256 = coalesce(%(sha256)s, e.content_sha256),
           metadata = coalesce(%(metadata)s::jsonb, e.metadata),
           version = e.version + 1,
           updated_at = greatest(%(now)s, e.updated_at + interval '1 microsecond')
      FROM before
     WHERE e.org_id = %(org_id)s
       AND e.id = before.id
       AND (%(version)s::int IS NULL OR before.version = %(version)s)
       AND matches(before.version, %(if_match)s)
       AND (%(expected_sha256)s::text IS NULL OR before.content_sha256 = %(expected_sha256)s)
       AND (coalesce(%(path)s, e.path) <> e.path
            OR coalesce(%(content)s, e.content) <> e.content
            OR coalesce(%(metadata)s::jsonb, e.metadata) <> e.metadata)
    RETURNING e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content, e.size - before.size AS growth
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
       AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
    RETURNING e.id, e.store_id, e.path, e.size, e.version,
              greatest(%(now)s, e.updated_at + interval '1 microsecond') AS deleted_at
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
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND e.id <> %(except_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
   AND (e.path = ANY (%(at_or_above)s::text[]) OR (e.path >= %(below_start)s AND e.path < %(below_end)s))
 ORDER BY e.path
 LIMIT 1;

-- name: list_version_ids
-- The ids of versions, by the entry and the number.
SELECT r.object_id AS entry_id, r.id AS version_id
  FROM unnest(%(entry_ids)s::text[], %(versions)s::int[]) AS e (id, version)
  JOIN revisions r ON r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = e.id AND r.version = e.version;

-- --- versions -------------------------------------------------------------------------------------------------------

-- name: list_versions
SELECT r.id, r.parent_id AS store_id, r.object_id AS entry_id, r.label AS entry_path, r.version, r.action,
       coalesce((r.state->>'size')::int, 0) AS size, coalesce(r.state->>'content_sha256', '') AS content_sha256,
       coalesce(r.state->'metadata', '{}') AS metadata, r.actor_type, r.actor_id, r.session_id, r.created_at,
       r.redacted_at, r.redacted_by,
       CASE WHEN %(with_content)s THEN r.content END AS content
  FROM revisions r
 WHERE r.org_id = %(org_id)s
   AND r.kind = 'store_entry'
   AND r.parent_id = %(store_id)s
   AND (%(entry_id)s::text IS NULL OR r.object_id = %(entry_id)s)
   AND (%(path)s::text IS NULL OR r.label = %(path)s)
   AND (%(action)s::text IS NULL OR r.action = %(action)s)
   AND (%(actor_types)s::text[] IS NULL OR r.actor_type = ANY (%(actor_types)s))
   AND (%(actor_id)s::text IS NULL OR r.actor_id = %(actor_id)s)
   AND (%(session_id)s::text IS NULL OR r.session_id = %(session_id)s)
   AND (%(since_id)s::text IS NULL OR r.id > %(since_id)s)
   AND (%(until_id)s::text IS NULL OR r.id < %(until_id)s)
   AND r.id < %(older_than)s
   AND r.id > %(newer_than)s
 ORDER BY r.id DESC
 LIMIT %(limit)s;

-- name: read_version
SELECT r.id, r.parent_id AS store_id, r.object_id AS entry_id, r.label AS entry_path, r.version, r.action,
       coalesce((r.state->>'size')::int, 0) AS size, coalesce(r.state->>'content_sha256', '') AS content_sha256,
       coalesce(r.state->'metadata', '{}') AS metadata, r.actor_type, r.actor_id, r.session_id, r.created_at,
       r.redacted_at, r.redacted_by, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE r.org_id = %(org_id)s
   AND r.id = %(version_id)s
   AND r.kind = 'store_entry'
   AND r.parent_id = %(store_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s));

-- name: hold_version
-- Whether the entry still stands at this version. Holds the entry, so that it stays so.
SELECT e.version = %(version)s
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.id = %(entry_id)s
   FOR UPDATE;

-- name: list_copies
-- Versions of an entry with the same content as one of them (a rename, a change of metadata), without the live one.
SELECT r.id
  FROM revisions r
 WHERE r.org_id = %(org_id)s
   AND r.kind = 'store_entry'
   AND r.object_id = %(entry_id)s
   AND r.id <> %(version_id)s
   AND r.redacted_at IS NULL
   AND r.content IS NOT NULL
   AND r.state->>'content_sha256' = %(sha256)s
   AND NOT EXISTS (
        SELECT FROM store_entries e WHERE e.org_id = r.org_id AND e.id = r.object_id AND e.version = r.version);

-- name: read_last_version
SELECT r.id, r.parent_id AS store_id, r.object_id AS entry_id, r.label AS entry_path, r.version, r.action,
       coalesce((r.state->>'size')::int, 0) AS size, coalesce(r.state->>'content_sha256', '') AS content_sha256,
       coalesce(r.state->'metadata', '{}') AS metadata, r.actor_type, r.actor_id, r.session_id, r.created_at,
       r.redacted_at, r.redacted_by, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE r.org_id = %(org_id)s
   AND r.kind = 'store_entry'
   AND r.object_id = %(entry_id)s
   AND r.parent_id = %(store_id)s
   AND (s.workspace_id = %(workspace_id)s OR NOT (SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = %(org_id)s))
 ORDER BY r.version DESC
 LIMIT 1;

-- name: read_birth
SELECT r.created_at
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = %(entry_id)s AND r.version = 1;

-- name: list_changed
-- Each entry that changed after `since_id` and up to `until_id`, as it stood before and after; a missing side is null.
SELECT changed.entry_id, before.label AS old_path, before.content AS old_content,
       after.label AS new_path, after.content AS new_content
  FROM (SELECT DISTINCT r.object_id AS entry_id
          FROM revisions r
         WHERE r.org_id = %(org_id)s
           AND r.kind = 'store_entry'
           AND r.parent_id = %(store_id)s
           AND r.id > %(since_id)s
           AND r.id < %(until_id)s) AS changed
  LEFT JOIN LATERAL (
        SELECT r.label, r.content, r.action
          FROM revisions r
         WHERE r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = changed.entry_id AND r.id <= %(since_id)s
         ORDER BY r.id DESC
         LIMIT 1) AS before ON before.action <> 'deleted'
  LEFT JOIN LATERAL (
        SELECT r.label, r.content, r.action
          FROM revisions r
         WHERE r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = changed.entry_id AND r.id < %(until_id)s
         ORDER BY r.id DESC
         LIMIT 1) AS after ON after.action <> 'deleted'
 LIMIT %(limit)s;

-- --- zip in and out -------------------------------------------------------------------------------------------------

-- name: open_export
-- A cursor reads the store as it was when it was opened, whatever is written while it is read.
DECLARE exported NO SCROLL CURSOR FOR
SELECT e.path, e.content, e.metadata, e.updated_at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.store_id = %(store_id)s
 ORDER BY e.path;

-- name: hold_entries
-- The entries that an import may touch, held until it ends.
SELECT e.id, e.path, e.size, e.content_sha256, e.metadata, e.version, e.updated_at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND (%(paths)s::text[] IS NULL OR e.path = ANY (%(paths)s))
 ORDER BY e.path
   FOR UPDATE;

-- name: import_entry
INSERT INTO store_entries
       (org_id, id, store_id, path, content, size, content_sha256, metadata, version, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(store_id)s, %(path)s, %(content)s, %(size)s, %(sha256)s, %(metadata)s, 1, %(now)s, %(now)s);

-- name: import_change
UPDATE store_entries e
   SET content = %(content)s, size = %(size)s, content_sha256 = %(sha256)s, metadata = %(metadata)s,
       version = e.version + 1, updated_at = %(updated_at)s
 WHERE e.org_id = %(org_id)s AND e.id = %(id)s;

-- name: import_deletions
DELETE FROM store_entries WHERE org_id = %(org_id)s AND id = ANY (%(ids)s::text[]);

-- name: count_imported
-- Gives no row where the store was archived or deleted meanwhile.
UPDATE memory_stores s
   SET entry_count = s.entry_count + %(more_entries)s, total_size = s.total_size + %(more_bytes)s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND s.archived_at IS NULL
   AND matches(s.version, %(if_match)s)
RETURNING s.id;
