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
