-- The kernel's functions: sight, authentication, the queue.

-- --- sight: who sees what inside an org (the same rule as in sight.py) ----------------------------------------------

-- The audiences that a caller belongs to without naming anything: the org, its own names and their combinations, and the
-- projects of the active workspace that its user is a member of. `by_project` was entered, so the caller may be there.
CREATE OR REPLACE FUNCTION audiences(by_user text, by_agent text, by_project text, by_workspace text, by_run text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN array_remove(
               ARRAY['org', 'user:' || by_user, 'agent:' || by_agent, 'agent:' || by_agent || '+user:' || by_user,
                     'project:' || by_project, 'workspace:' || by_workspace, 'run:' || by_run], NULL)
        || ARRAY(SELECT 'project:' || m.project_id
                   FROM project_members m
                   JOIN projects p ON p.org_id = m.org_id AND p.id = m.project_id
                  WHERE m.org_id = current_org() AND m.user_id = by_user AND p.workspace_id = by_workspace
                    AND m.project_id IS DISTINCT FROM by_project);

-- Whether a caller sees one object that it names: the audiences above, and for a user any team project of the workspace.
CREATE OR REPLACE FUNCTION sees(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, audience text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN audience = ANY (audiences(by_user, by_agent, by_project, by_workspace, by_run))
        OR (by_user IS NOT NULL AND starts_with(audience, 'project:')
            AND EXISTS (SELECT FROM projects p
                         WHERE p.org_id = current_org() AND p.id = substr(audience, length('project:') + 1)
                           AND p.workspace_id = by_workspace AND p.visibility = 'team'));

CREATE OR REPLACE FUNCTION workspaces_enabled() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce((SELECT o.workspaces_enabled FROM orgs o WHERE o.org_id = current_org()), false);

-- Whether a row of a workspace is there for a caller: always, unless the org has workspaces enabled.
CREATE OR REPLACE FUNCTION in_workspace(by_workspace text, workspace text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN workspace IS NULL OR workspace = by_workspace OR NOT workspaces_enabled();

-- Whether a user sees a project from a workspace: a team project, or one that the user is a member of.
CREATE OR REPLACE FUNCTION sees_project(by_user text, by_workspace text, project text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN EXISTS (SELECT FROM projects p
                    WHERE p.org_id = current_org() AND p.id = project AND p.workspace_id = by_workspace
                      AND (p.visibility = 'team'
                           OR EXISTS (SELECT FROM project_members m
                                       WHERE m.org_id = p.org_id AND m.project_id = p.id AND m.user_id = by_user)));

-- Whether a caller sees a session of the active workspace: its user's, or for a session without a user its agent's.
-- `key_agent` is the agent that an agent key is bound to; `any_agent` is true for service keys, which may name any agent.
CREATE OR REPLACE FUNCTION sees_session(
    by_user text, by_agent text, by_workspace text, key_agent text, any_agent boolean, session sessions
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN session.workspace_id = by_workspace
       AND (key_agent IS NULL OR session.agent_id IS NULL OR session.agent_id = key_agent)
       AND (session.user_id = by_user
            OR (session.user_id IS NULL AND (any_agent OR coalesce(session.agent_id = by_agent, false))));

-- --- versions and times of change --------------------------------------------------------------------------------------

-- The new updated_at of a row: now, but later than the old one whatever the clocks say, since it also serves as a
-- compare-and-set token. STABLE, as the addition is: Postgres then puts the expression in place of the call.
CREATE OR REPLACE FUNCTION later(old timestamptz, now timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN greatest(now, old + interval '1 microsecond');

-- Whether a row's version is one of those that If-Match names; NULL: there was no If-Match.
CREATE OR REPLACE FUNCTION matches(version integer, if_match integer[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN if_match IS NULL OR version = ANY (if_match);

-- --- authentication, the queue ----------------------------------------------------------------------------------------

-- What an authenticated key or browser asks about its own org, in the round trip that proves it. Each is a function so
-- that its policies are checked after the org was entered, by which `entered` is made a dependency of it.
CREATE OR REPLACE FUNCTION key_context(
    entered text, key_user_id text, key_agent_id text, asked_workspace text, asked_user text
) RETURNS TABLE (
    owner_id text, agent_workspace_id text, workspace_known boolean, user_known boolean, acts_for_owner boolean)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT u.id FROM users u WHERE u.org_id = entered AND u.owner ORDER BY u.created_at LIMIT 1),
        (SELECT a.workspace_id FROM agents a WHERE a.org_id = entered AND a.id = key_agent_id),
        EXISTS (SELECT FROM workspaces w WHERE w.org_id = entered AND w.id = asked_workspace),
        EXISTS (SELECT FROM users u WHERE u.org_id = entered AND u.id = asked_user),
        -- With neither a header nor a user of its own a key acts for the org's owner.
        coalesce((SELECT u.owner FROM users u WHERE u.org_id = entered AND u.id = coalesce(asked_user, key_user_id)),
                 asked_user IS NULL AND key_user_id IS NULL);
END $$;

CREATE OR REPLACE FUNCTION session_context(entered text, session_user_id text, asked_workspace text)
    RETURNS TABLE (owner boolean, workspace_known boolean)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT u.owner FROM users u WHERE u.org_id = entered AND u.id = session_user_id),
        EXISTS (SELECT FROM workspaces w WHERE w.org_id = entered AND w.id = asked_workspace);
END $$;

CREATE OR REPLACE FUNCTION enqueue_job(queue text, org_id text, job_id text, not_before timestamptz) RETURNS bigint[]
    LANGUAGE sql VOLATILE
    RETURN procrastinate_defer_jobs_v1(ARRAY[ROW(
        queue, 'job', 0, NULL, NULL, jsonb_build_object('org_id', org_id, 'job_id', job_id), not_before
    )]::procrastinate_job_to_defer_v1[]);
