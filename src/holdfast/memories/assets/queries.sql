-- fragment: asset_columns
a.id, a.name, a.content_type, a.size, a.sha256, a.created_at

-- name: lock_memory
-- Whoever attaches to a memory counts what is there while nobody else adds to it.
-- sight: the memory was read under it.
SELECT m.id FROM memories m WHERE m.org_id = %(org_id)s AND m.id = %(id)s FOR UPDATE;

-- name: count_assets
-- sight: the memory was read under it.
SELECT count(*)::int FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s;

-- name: write_asset
-- sight: the memory was changed under it.
INSERT INTO memory_assets (org_id, id, memory_id, name, content_type, size, sha256, created_at)
VALUES (%(org_id)s, %(id)s, %(memory_id)s, %(name)s, %(content_type)s, %(size)s, %(sha256)s, %(created_at)s);

-- name: list_assets
-- sight: the memory was read under it.
SELECT {asset_columns}
  FROM memory_assets a
 WHERE a.org_id = %(org_id)s
   AND a.memory_id = %(memory_id)s
   AND a.id < %(older_than)s
   AND a.id > %(newer_than)s
 ORDER BY a.id DESC
 LIMIT %(limit)s;

-- name: read_asset
-- sight: the memory was read under it.
SELECT {asset_columns}
  FROM memory_assets a
 WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s AND a.id = %(id)s;

-- name: delete_asset
-- sight: the memory was read under it.
DELETE FROM memory_assets a
 WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s AND a.id = %(id)s
RETURNING a.id;

-- name: known_assets
-- sight: the sweep of the object store asks for ids alone, as the operator.
SELECT a.id FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.id = ANY (%(ids)s);
