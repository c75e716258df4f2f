-- name: entries_to_index
SELECT e.store_id, e.id AS entry_id, e.path, e.content, e.updated_at AS at
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s);

-- name: stores_in_sight
-- The stores of the org, or of the active workspace where it has them.
SELECT s.id
  FROM memory_stores s
  JOIN orgs o ON o.org_id = s.org_id
 WHERE s.org_id = %(org_id)s AND (NOT o.workspaces_enabled OR s.workspace_id = %(workspace_id)s)
 ORDER BY s.id DESC;

-- name: recalled_entries
-- The index brought these up; they are read under the policy, from the stores that the caller sees.
SELECT e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at, e.content
  FROM store_entries e
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s) AND e.store_id = ANY (%(store_ids)s);
