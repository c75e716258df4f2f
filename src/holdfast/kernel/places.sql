-- name: register_agent
-- Does nothing for an agent that is there, in whichever workspace.
INSERT INTO agents (org_id, id, workspace_id, created_at, updated_at)
VALUES (%(org_id)s, %(agent_id)s, %(workspace_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: agent_seen
-- `seen`: of the active workspace, and not in a private project that the user acted for is no member of. Service keys may
-- name any agent of the workspace (`any_agent`), an agent key its own. Gives no row for an agent that nobody wrote to yet.
SELECT a.workspace_id = %(by_workspace)s
       AND (%(any_agent)s OR a.project_id IS NULL OR sees_project(%(by_user)s, %(by_workspace)s, a.project_id)) AS seen
  FROM agents a
 WHERE a.org_id = %(org_id)s AND a.id = %(agent_id)s;

-- name: visible_project
SELECT p.id
  FROM projects p
 WHERE p.org_id = %(org_id)s AND p.id = %(project_id)s AND sees_project(%(by_user)s, %(by_workspace)s, p.id);

-- name: register_session
-- Does nothing for a session that is there, whichever user it belongs to.
-- sight: visible_session is asked before and after.
INSERT INTO sessions (org_id, id, user_id, agent_id, project_id, workspace_id, last_activity_at, created_at, updated_at)
VALUES (%(org_id)s, %(session_id)s, %(user_id)s, %(agent_id)s, %(project_id)s, %(workspace_id)s, %(now)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: visible_session
{seen_session};
