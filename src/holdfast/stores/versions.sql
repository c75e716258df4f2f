-- The versions of entries are revisions of kind `store_entry`, with the store as their parent.

-- name: list_versions
-- sight: the service reads the store with it, in the same transaction
SELECT {version},
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
SELECT {version}, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE r.org_id = %(org_id)s
   AND r.id = %(version_id)s
   AND r.kind = 'store_entry'
   AND r.parent_id = %(store_id)s
   AND sees_store({by}, s.workspace_id, s.audience);

-- name: hold_version
-- sight: the version was read as the caller sees it
-- Whether the entry still stands at this version. Holds the entry, so that it stays so.
SELECT e.version = %(version)s
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.id = %(entry_id)s
   FOR UPDATE;

-- name: list_copies
-- sight: the version was read as the caller sees it
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
        SELECT FROM store_entries e WHERE e.org_id = %(org_id)s AND e.id = r.object_id AND e.version = r.version);

-- name: read_last_version
SELECT {version}, r.content
  FROM revisions r
  JOIN memory_stores s ON s.org_id = r.org_id AND s.id = r.parent_id
 WHERE r.org_id = %(org_id)s
   AND r.kind = 'store_entry'
   AND r.object_id = %(entry_id)s
   AND r.parent_id = %(store_id)s
   AND sees_store({by}, s.workspace_id, s.audience)
 ORDER BY r.version DESC
 LIMIT 1;

-- name: read_birth
-- sight: the entry's last version was read as the caller sees it
SELECT r.created_at
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = %(entry_id)s AND r.version = 1;

-- name: list_changed
-- sight: the service reads the store with it, in the same transaction
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
