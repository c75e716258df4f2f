-- name: register_agent
-- Does nothing for an agent that is there, in whichever workspace.
INSERT INTO agents (org_id, id, workspace_id, created_at, updated_at)
VALUES (%(org_id)s, %(agent_id)s, %(workspace_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: workspace_of_agent
SELECT workspace_id FROM agents WHERE org_id = %(org_id)s AND id = %(agent_id)s;

-- name: visible_project
-- A team project is every user's; a private one its members'.
SELECT p.id
  FROM projects p
 WHERE p.org_id = %(org_id)s
   AND p.id = %(project_id)s
   AND (p.visibility = 'team'
        OR EXISTS (SELECT FROM project_members m
                    WHERE m.org_id = p.org_id AND m.project_id = p.id AND m.user_id = %(user_id)s::text));

-- name: register_session
-- Does nothing for a session that is there, whosever it is.
INSERT INTO sessions (org_id, id, user_id, agent_id, project_id, workspace_id, last_activity_at, created_at, updated_at)
VALUES (%(org_id)s, %(session_id)s, %(user_id)s, %(agent_id)s, %(project_id)s, %(workspace_id)s, %(now)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: visible_session
-- A session of the active workspace that is the caller's user's; or its key's agent's, where not two users are at odds;
-- a service key vouches for any.
-- It speaks from its project as long as its user may: one who was taken out of a private project is out of it.
SELECT s.agent_id,
       (SELECT p.id FROM projects p
         WHERE p.org_id = s.org_id AND p.id = s.project_id
           AND (p.visibility = 'team' OR s.user_id IS NULL
                OR EXISTS (SELECT FROM project_members m
                            WHERE m.org_id = p.org_id AND m.project_id = p.id AND m.user_id = s.user_id))) AS project_id
  FROM sessions s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(session_id)s
   AND s.workspace_id = %(workspace_id)s
   AND (%(any_session)s
        OR s.user_id = %(user_id)s::text
        OR (s.agent_id = %(bound_agent_id)s::text AND (s.user_id IS NULL OR %(user_id)s::text IS NULL)));
