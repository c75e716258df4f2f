-- name: entries_to_index
-- sight: a job of the org embeds what is there; nothing is shown
SELECT e.store_id, e.id AS entry_id, e.path, e.content, e.updated_at AS at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s);

-- name: stores_in_sight
SELECT s.id FROM memory_stores s WHERE s.org_id = %(org_id)s AND sees_store({by}, s.workspace_id, s.audience) ORDER BY s.id DESC;

-- name: recalled_entries
-- The index found these; they are read from the stores that the caller sees.
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content
  FROM store_entries e
  JOIN memory_stores s ON s.org_id = e.org_id AND s.id = e.store_id
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s) AND e.store_id = ANY (%(store_ids)s)
   AND sees_store({by}, s.workspace_id, s.audience);
