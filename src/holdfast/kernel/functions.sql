-- The kernel's functions: sight, authentication, the queue.

-- The rule of sight, as kernel/caller.py has it: a caller sees what carries no name that it does not carry too.
CREATE OR REPLACE FUNCTION sees(
    caller_workspace text, caller_project text, caller_user text, caller_agent text, caller_run text,
    workspace text, project text, "user" text, agent text, run text
) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (workspace IS NULL OR coalesce(workspace = caller_workspace, false))
       AND (project IS NULL OR coalesce(project = caller_project, false))
       AND ("user" IS NULL OR coalesce("user" = caller_user, false))
       AND (agent IS NULL OR coalesce(agent = caller_agent, false))
       AND (run IS NULL OR coalesce(run = caller_run, false));

-- What an authenticated key or browser asks about its own org, in the round trip that proves it. Each is a function so
-- that its policies are checked after the org was entered, by which `entered` is made a dependency of it.
CREATE OR REPLACE FUNCTION key_context(entered text, key_agent_id text, asked_workspace text, asked_user text)
    RETURNS TABLE (owner_id text, agent_workspace_id text, workspace_known boolean, user_known boolean)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT u.id FROM users u WHERE u.org_id = entered AND u.owner ORDER BY u.created_at LIMIT 1),
        (SELECT a.workspace_id FROM agents a WHERE a.org_id = entered AND a.id = key_agent_id),
        EXISTS (SELECT FROM workspaces w WHERE w.org_id = entered AND w.id = asked_workspace),
        EXISTS (SELECT FROM users u WHERE u.org_id = entered AND u.id = asked_user);
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
