-- name: open_export
-- sight: the service has read the store with `read_store`
-- A cursor reads the store as it was when it was opened, whatever is written while it is read.
DECLARE exported NO SCROLL CURSOR FOR
SELECT e.path, e.content, e.metadata, e.updated_at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.store_id = %(store_id)s
 ORDER BY e.path;

-- name: hold_entries
-- sight: the service has read the store with `read_store`
-- The entries that an import may touch, held until it ends.
SELECT e.id, e.path, e.size, e.content_sha256, e.metadata, e.version, e.updated_at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s
   AND e.store_id = %(store_id)s
   AND (%(paths)s::text[] IS NULL OR e.path = ANY (%(paths)s))
 ORDER BY e.path
   FOR UPDATE;

-- name: import_entry
-- sight: the service has read the store with `read_store`
INSERT INTO store_entries
       (org_id, id, store_id, path, content, size, content_sha256, metadata, version, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(store_id)s, %(path)s, %(content)s, %(size)s, %(sha256)s, %(metadata)s, 1, %(now)s, %(now)s);

-- name: import_change
-- sight: the entry was held by `hold_entries`
UPDATE store_entries e
   SET content = %(content)s, size = %(size)s, content_sha256 = %(sha256)s, metadata = %(metadata)s,
       version = e.version + 1, updated_at = %(updated_at)s
 WHERE e.org_id = %(org_id)s AND e.id = %(id)s;

-- name: import_deletions
-- sight: the entries were held by `hold_entries`
DELETE FROM store_entries WHERE org_id = %(org_id)s AND id = ANY (%(ids)s::text[]);

-- name: count_imported
-- sight: the service has read the store with `read_store`
-- Gives no row where the store was archived or deleted meanwhile.
UPDATE memory_stores s
   SET entry_count = s.entry_count + %(more_entries)s, total_size = s.total_size + %(more_bytes)s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(store_id)s
   AND {writable}
   AND matches(s.version, %(if_match)s)
RETURNING s.id;
