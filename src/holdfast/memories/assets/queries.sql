-- name: lock_memory
-- Whoever attaches to a memory counts what is there while nobody else adds to it.
SELECT m.id FROM memories m WHERE m.org_id = %(org_id)s AND m.id = %(id)s FOR UPDATE;

-- name: count_assets
SELECT count(*)::int FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s;

-- name: touch_memory
-- What is attached to a memory is part of it. Gives no row where the caller does not see it.
UPDATE memories m
   SET version = m.version + 1,
       updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
          m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
          m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids;

-- name: write_asset
INSERT INTO memory_assets (org_id, id, memory_id, name, content_type, size, sha256, created_at)
VALUES (%(org_id)s, %(id)s, %(memory_id)s, %(name)s, %(content_type)s, %(size)s, %(sha256)s, %(created_at)s);

-- name: list_assets
SELECT a.id, a.name, a.content_type, a.size, a.sha256, a.created_at
  FROM memory_assets a
 WHERE a.org_id = %(org_id)s
   AND a.memory_id = %(memory_id)s
   AND a.id < %(older_than)s
   AND a.id > %(newer_than)s
 ORDER BY a.id DESC
 LIMIT %(limit)s;

-- name: read_asset
SELECT a.id, a.name, a.content_type, a.size, a.sha256, a.created_at
  FROM memory_assets a
 WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s AND a.id = %(id)s;

-- name: delete_asset
DELETE FROM memory_assets a
 WHERE a.org_id = %(org_id)s AND a.memory_id = %(memory_id)s AND a.id = %(id)s
RETURNING a.id;

-- name: known_assets
SELECT a.id FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.id = ANY (%(ids)s);
