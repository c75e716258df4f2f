-- name: read_access
-- All that decides whether an instance may be used: its resource, what the agent's directory entry refers to, whether the key
-- names a session that the caller does not see, and whether the org separates workspaces. No id is '': Citus 13 on Postgres 15
-- crashes where the planner drops a join because it compares with NULL.
SELECT r.id, r.config, r.revision, coalesce(r.created_at, o.created_at) AS created_at,
       coalesce(r.updated_at, o.created_at) AS updated_at,
       a.memory AS refers_to, o.workspaces_enabled,
       s.id IS NOT NULL AND NOT coalesce(
           sees_session(%(by_user)s, %(by_agent)s, %(by_workspace)s, %(key_agent)s, %(any_agent)s,
                    s.workspace_id, s.user_id, s.agent_id), false)
       AS hides_session
  FROM orgs o
  LEFT JOIN memory_resources r ON r.org_id = o.org_id AND r.id = %(resource_id)s
  LEFT JOIN agents a ON a.org_id = o.org_id AND a.id = coalesce(%(speaking_agent)s, '')
  LEFT JOIN sessions s ON s.org_id = o.org_id AND s.id = coalesce(%(key)s, '')
 WHERE o.org_id = %(org_id)s;

-- name: touch_session
-- Registers a session that is named for the first time. No row where it is there and the caller does not see it.
INSERT INTO sessions AS s (org_id, id, user_id, agent_id, project_id, workspace_id, last_activity_at, created_at, updated_at)
VALUES (%(org_id)s, %(session_id)s, %(user_id)s, %(agent_id)s, %(project_id)s, %(workspace_id)s, %(now)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO UPDATE
   SET last_activity_at = greatest(s.last_activity_at, %(now)s),
       agent_id = coalesce(s.agent_id, excluded.agent_id),
       project_id = coalesce(s.project_id, excluded.project_id),
       version = s.version + 1,
       updated_at = later(s.updated_at, %(now)s)
 WHERE sees_session(%(by_user)s, %(by_agent)s, %(by_workspace)s, %(key_agent)s, %(any_agent)s,
                    s.workspace_id, s.user_id, s.agent_id)
RETURNING id;

-- name: link_session
-- sight: the session was touched, so the caller sees it
INSERT INTO session_conversations (org_id, session_id, resource_id, key, last_activity_at)
VALUES (%(org_id)s, %(session_id)s, %(resource_id)s, %(key)s, %(now)s)
ON CONFLICT (org_id, session_id, resource_id, key) DO UPDATE SET last_activity_at = excluded.last_activity_at;

-- name: backup_content
-- sight: the owner is part of what names the instance
SELECT content
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = 'conversation_backup' AND object_id = %(id)s
   AND parent_id = %(resource_id)s AND label = %(key)s AND state ->> 'owner' = %(audience)s AND content IS NOT NULL;
