-- The columns of each noun, as model.py has its fields.

-- fragment: org
org_id AS id, name, workspaces_enabled, review_extractions, llm_tokens_per_day, language, redact_patterns, recall_weights,
       version, created_at, updated_at

-- fragment: workspace
id, name, version, created_at, updated_at

-- fragment: project
p.id, p.name, p.visibility, p.workspace_id, p.version, p.created_at, p.updated_at,
       ARRAY(SELECT m.user_id FROM project_members m
              WHERE m.org_id = p.org_id AND m.project_id = p.id ORDER BY m.created_at, m.user_id) AS members

-- fragment: agent
id, name, workspace_id, project_id, memory, version, created_at, updated_at

-- fragment: user
id, email, owner, CASE WHEN owner THEN 'owner' ELSE 'member' END AS role, insight_capture, totp_confirmed_at IS NOT NULL AS totp_enabled, version, created_at, updated_at

-- name: read_org
SELECT {org}
  FROM orgs
 WHERE org_id = %(org_id)s;

-- name: create_org
INSERT INTO orgs (org_id, name, created_at, updated_at)
VALUES (%(org_id)s, %(name)s, %(now)s, %(now)s)
RETURNING {org};

-- name: change_org
-- A field that is not given stays; the cap of tokens can also be taken away. Gives no row where If-Match fails.
UPDATE orgs
   SET name = coalesce(%(name)s, name),
       workspaces_enabled = coalesce(%(workspaces_enabled)s, workspaces_enabled),
       review_extractions = coalesce(%(review_extractions)s, review_extractions),
       llm_tokens_per_day = CASE WHEN %(set_llm_tokens_per_day)s THEN %(llm_tokens_per_day)s::bigint
                                 ELSE llm_tokens_per_day END,
       language = coalesce(%(language)s, language),
       redact_patterns = coalesce(%(redact_patterns)s::text[], redact_patterns),
       recall_weights = CASE WHEN %(set_recall_weights)s THEN %(recall_weights)s::jsonb ELSE recall_weights END,
       version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s
   AND matches(version, %(if_match)s)
RETURNING {org};

-- name: language_asked_for
-- Whether the database knows it, and whether it is another than the org's.
SELECT EXISTS (SELECT FROM pg_ts_config WHERE cfgname = %(language)s) AS known, language <> %(language)s AS differs
  FROM orgs
 WHERE org_id = %(org_id)s;

-- name: read_workspace
SELECT {workspace}
  FROM workspaces
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: put_workspace
-- Gives no row where If-Match fails. Whether there is one is asked in any case, here and below: where the planner can leave the
-- question out, Citus inserts nothing into a table that it keeps on every node.
INSERT INTO workspaces AS w (org_id, id, name, created_at, updated_at)
SELECT %(org_id)s, %(id)s, %(name)s, %(now)s, %(now)s
 WHERE coalesce((SELECT true FROM workspaces WHERE org_id = %(org_id)s AND id = %(id)s), %(if_match)s::int[] IS NULL)
ON CONFLICT (org_id, id) DO UPDATE
   SET name = excluded.name, version = w.version + 1,
       updated_at = later(w.updated_at, %(now)s)
 WHERE matches(w.version, %(if_match)s)
RETURNING {workspace};

-- name: list_workspaces
SELECT {workspace}
  FROM workspaces
 WHERE org_id = %(org_id)s
   AND (%(after_id)s::text IS NULL OR (created_at, id) <
        (SELECT created_at, id FROM workspaces WHERE org_id = %(org_id)s AND id = %(after_id)s))
   AND (%(before_id)s::text IS NULL OR (created_at, id) >
        (SELECT created_at, id FROM workspaces WHERE org_id = %(org_id)s AND id = %(before_id)s))
 ORDER BY created_at DESC, id DESC
 LIMIT %(limit)s;

-- name: read_project
-- `all_projects`: owners and operators see the directory entry of every project of the workspace.
SELECT {project}
  FROM projects p
 WHERE p.org_id = %(org_id)s
   AND p.id = %(id)s
   AND p.workspace_id = %(by_workspace)s
   AND (%(all_projects)s OR sees_project(%(by_user)s, %(by_workspace)s, p.id));

-- name: project_by_id
-- sight: a name that is taken is taken for everyone; the caller is refused before anything of it is shown.
SELECT {project}
  FROM projects p
 WHERE p.org_id = %(org_id)s AND p.id = %(id)s;

-- name: put_project
-- Gives no row where If-Match fails. A field that is not given stays as it was.
INSERT INTO projects AS p (org_id, id, name, visibility, workspace_id, created_at, updated_at)
SELECT %(org_id)s, %(id)s, %(name)s, coalesce(%(visibility)s, 'team'), coalesce(%(workspace_id)s, %(active_workspace_id)s),
       %(now)s, %(now)s
 WHERE coalesce((SELECT true FROM projects WHERE org_id = %(org_id)s AND id = %(id)s), %(if_match)s::int[] IS NULL)
ON CONFLICT (org_id, id) DO UPDATE
   SET name = coalesce(excluded.name, p.name),
       visibility = coalesce(%(visibility)s, p.visibility),
       workspace_id = coalesce(%(workspace_id)s, p.workspace_id),
       version = p.version + 1,
       updated_at = later(p.updated_at, %(now)s)
 WHERE matches(p.version, %(if_match)s)
RETURNING version;

-- name: list_projects
SELECT {project}
  FROM projects p
 WHERE p.org_id = %(org_id)s
   AND p.workspace_id = %(by_workspace)s
   AND (%(all_projects)s OR sees_project(%(by_user)s, %(by_workspace)s, p.id))
   AND (%(after_id)s::text IS NULL OR (p.created_at, p.id) <
        (SELECT created_at, id FROM projects WHERE org_id = %(org_id)s AND id = %(after_id)s))
   AND (%(before_id)s::text IS NULL OR (p.created_at, p.id) >
        (SELECT created_at, id FROM projects WHERE org_id = %(org_id)s AND id = %(before_id)s))
 ORDER BY p.created_at DESC, p.id DESC
 LIMIT %(limit)s;

-- name: touch_project
UPDATE projects
   SET version = version + 1, updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND matches(version, %(if_match)s)
RETURNING version;

-- name: add_user
INSERT INTO users (org_id, id, created_at, updated_at)
VALUES (%(org_id)s, %(user_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: add_member
INSERT INTO project_members (org_id, project_id, user_id, created_at)
VALUES (%(org_id)s, %(id)s, %(user_id)s, %(now)s)
ON CONFLICT (org_id, project_id, user_id) DO NOTHING;

-- name: remove_member
DELETE FROM project_members WHERE org_id = %(org_id)s AND project_id = %(id)s AND user_id = %(user_id)s;

-- name: read_agent
-- As kernel/places.sql has it: of the active workspace, and not in a private project that the user does not see.
SELECT {agent}
  FROM agents
 WHERE org_id = %(org_id)s
   AND id = %(id)s
   AND workspace_id = %(by_workspace)s
   AND (%(any_agent)s OR project_id IS NULL OR sees_project(%(by_user)s, %(by_workspace)s, project_id));

-- name: put_agent
-- Gives no row where If-Match fails, or the agent lives in another workspace.
INSERT INTO agents AS a (org_id, id, name, workspace_id, project_id, memory, created_at, updated_at)
SELECT %(org_id)s, %(id)s, %(name)s, %(workspace_id)s, %(project_id)s, coalesce(%(memory)s::jsonb, '[]'), %(now)s, %(now)s
 WHERE coalesce((SELECT true FROM agents WHERE org_id = %(org_id)s AND id = %(id)s), %(if_match)s::int[] IS NULL)
ON CONFLICT (org_id, id) DO UPDATE
   SET name = coalesce(excluded.name, a.name),
       project_id = coalesce(excluded.project_id, a.project_id),
       memory = coalesce(%(memory)s::jsonb, a.memory),
       version = a.version + 1,
       updated_at = later(a.updated_at, %(now)s)
 WHERE a.workspace_id = %(workspace_id)s AND matches(a.version, %(if_match)s)
RETURNING {agent};

-- name: list_agents
SELECT {agent}
  FROM agents
 WHERE org_id = %(org_id)s
   AND workspace_id = %(by_workspace)s
   AND (%(any_agent)s OR project_id IS NULL OR sees_project(%(by_user)s, %(by_workspace)s, project_id))
   AND (%(only_agent)s::text IS NULL OR id = %(only_agent)s)
   AND (%(after_id)s::text IS NULL OR (created_at, id) <
        (SELECT created_at, id FROM agents WHERE org_id = %(org_id)s AND id = %(after_id)s))
   AND (%(before_id)s::text IS NULL OR (created_at, id) >
        (SELECT created_at, id FROM agents WHERE org_id = %(org_id)s AND id = %(before_id)s))
 ORDER BY created_at DESC, id DESC
 LIMIT %(limit)s;

-- name: read_user
SELECT {user}
  FROM users
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: put_user
INSERT INTO users AS u (org_id, id, email, owner, password_hash, version, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(email)s, coalesce(%(owner)s, false), %(password_hash)s, %(before)s + 1, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO UPDATE
   SET email = coalesce(excluded.email, u.email),
       owner = coalesce(%(owner)s, u.owner),
       password_hash = coalesce(excluded.password_hash, u.password_hash),
       version = greatest(u.version, %(before)s) + 1,
       updated_at = later(u.updated_at, %(now)s)
RETURNING {user};

-- name: change_user
-- Registers a user that is named for the first time. Gives no row where If-Match fails.
INSERT INTO users AS u (org_id, id, insight_capture, version, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, coalesce(%(insight_capture)s, true), %(before)s + 1, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO UPDATE
   SET insight_capture = coalesce(%(insight_capture)s, u.insight_capture), version = greatest(u.version, %(before)s) + 1,
       updated_at = later(u.updated_at, %(now)s)
 WHERE matches(u.version, %(if_match)s)
RETURNING {user};

-- name: create_user
-- Gives no row where the id is taken.
INSERT INTO users (org_id, id, email, owner, version, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(email)s, %(owner)s, %(before)s + 1, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING
RETURNING {user};

-- name: lock_owners
-- Two that demote or delete each other wait here, and the second finds one owner.
SELECT id FROM users WHERE org_id = %(org_id)s AND owner ORDER BY id FOR UPDATE;

-- name: change_person
-- Gives no row where there is no such user, or If-Match fails.
UPDATE users
   SET email = CASE WHEN %(sets_email)s THEN %(email)s ELSE email END, owner = coalesce(%(owner)s, owner),
       version = greatest(version, %(before)s) + 1, updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND matches(version, %(if_match)s)
RETURNING {user};

-- name: delete_user
-- Browser sessions, sign-in links and memberships go with the row.
DELETE FROM users
 WHERE org_id = %(org_id)s AND id = %(id)s AND matches(version, %(if_match)s)
RETURNING {user};

-- name: revoke_keys_of_user
UPDATE api_keys SET revoked_at = %(now)s
 WHERE org_id = %(org_id)s AND user_id = %(id)s AND revoked_at IS NULL;

-- name: list_users
SELECT {user}
  FROM users
 WHERE org_id = %(org_id)s
   AND (%(only_user)s::text IS NULL OR id = %(only_user)s)
   AND (%(after_id)s::text IS NULL OR (created_at, id) <
        (SELECT created_at, id FROM users WHERE org_id = %(org_id)s AND id = %(after_id)s))
   AND (%(before_id)s::text IS NULL OR (created_at, id) >
        (SELECT created_at, id FROM users WHERE org_id = %(org_id)s AND id = %(before_id)s))
 ORDER BY created_at DESC, id DESC
 LIMIT %(limit)s;

-- name: read_session
-- With its conversations, and how far each was learned from.
SELECT id, user_id, agent_id, project_id, workspace_id, last_activity_at, settled_at, version, created_at, updated_at,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('resource_id', c.resource_id, 'key', c.key,
                                                     'last_activity_at', to_char(c.last_activity_at AT TIME ZONE 'UTC',
                                                                                 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
                                  ORDER BY c.resource_id, c.key), '[]')
          FROM session_conversations c
         WHERE c.org_id = %(org_id)s AND c.session_id = s.id) AS conversations,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('resource_id', g.resource_id, 'key', g.key,
                                                     'message_id', g.message_id)
                                  ORDER BY g.resource_id, g.key), '[]')
          FROM session_progress g
         WHERE g.org_id = %(org_id)s AND g.session_id = s.id AND g.message_id IS NOT NULL) AS settled_through
  FROM sessions s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(id)s
   AND sees_session(%(by_user)s, %(by_agent)s, %(by_workspace)s, %(key_agent)s, %(any_agent)s,
                    s.workspace_id, s.user_id, s.agent_id);

-- name: name_exists
-- sight: tells only whether a cursor of a list is a name; the list shows what the caller sees
SELECT id FROM workspaces WHERE org_id = %(org_id)s AND id = %(id)s AND %(noun)s = 'workspace'
UNION ALL
SELECT id FROM projects WHERE org_id = %(org_id)s AND id = %(id)s AND %(noun)s = 'project'
UNION ALL
SELECT id FROM agents WHERE org_id = %(org_id)s AND id = %(id)s AND %(noun)s = 'agent'
UNION ALL
SELECT id FROM users WHERE org_id = %(org_id)s AND id = %(id)s AND %(noun)s = 'user';
