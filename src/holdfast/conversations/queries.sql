-- name: read_access
-- All that decides whether a conversation may be used: its resource, what the agent's directory entry says of resources,
-- and whose session the key names.
SELECT r.id, r.config, r.revision, coalesce(r.created_at, o.created_at) AS created_at,
       coalesce(r.updated_at, o.created_at) AS updated_at,
       a.memory AS refers_to, s.user_id, s.agent_id
  FROM orgs o
  LEFT JOIN memory_resources r ON r.org_id = o.org_id AND r.id = %(resource_id)s
  LEFT JOIN agents a ON a.org_id = o.org_id AND a.id = %(speaking_agent)s
  LEFT JOIN sessions s ON s.org_id = o.org_id AND s.id = %(key)s
 WHERE o.org_id = %(org_id)s;

-- name: touch_session
-- Registers a session that is named for the first time. Gives no row where it is another user's.
INSERT INTO sessions AS s (org_id, id, user_id, agent_id, project_id, workspace_id, last_activity_at, created_at, updated_at)
VALUES (%(org_id)s, %(session_id)s, %(user_id)s, %(agent_id)s, %(project_id)s, %(workspace_id)s, %(now)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO UPDATE
   SET last_activity_at = greatest(s.last_activity_at, %(now)s),
       agent_id = coalesce(s.agent_id, excluded.agent_id),
       project_id = coalesce(s.project_id, excluded.project_id),
       version = s.version + 1,
       updated_at = greatest(%(now)s, s.updated_at + interval '1 microsecond')
 WHERE %(all_sessions)s OR s.user_id IS NULL OR s.user_id = %(user_id)s::text OR s.agent_id = %(agent_id)s::text
RETURNING id;

-- name: link_session
INSERT INTO session_conversations (org_id, session_id, resource_id, key, last_activity_at)
VALUES (%(org_id)s, %(session_id)s, %(resource_id)s, %(key)s, %(now)s)
ON CONFLICT (org_id, session_id, resource_id, key) DO UPDATE SET last_activity_at = excluded.last_activity_at;

-- name: flushed_contents
SELECT content, created_at
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = 'conversation' AND object_id = %(conversation_id)s
   AND action IN ('flushed', 'appended') AND content IS NOT NULL
   AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
 ORDER BY version;

-- name: backup_content
SELECT content
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = 'conversation_backup' AND object_id = %(id)s
   AND parent_id = %(resource_id)s AND label = %(key)s AND content IS NOT NULL;
