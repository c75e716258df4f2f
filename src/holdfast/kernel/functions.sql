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

-- Whether a row that names a user and an agent is there for an agent key: not one of another agent. `key_agent` is the agent that
-- the key is bound to, NULL for every other caller.
CREATE OR REPLACE FUNCTION not_of_another_agent(key_agent text, of_agent text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN key_agent IS NULL OR of_agent IS NULL OR of_agent = key_agent;

-- Whether a caller sees a session of the active workspace: its user's, or for a session without a user its agent's.
-- `any_agent` is true for service keys, which may name any agent.
CREATE OR REPLACE FUNCTION sees_session(
    by_user text, by_agent text, by_workspace text, key_agent text, any_agent boolean,
    of_workspace text, of_user text, of_agent text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN of_workspace = by_workspace
       AND not_of_another_agent(key_agent, of_agent)
       AND (of_user = by_user OR (of_user IS NULL AND (any_agent OR coalesce(of_agent = by_agent, false))));

-- --- versions and times of change --------------------------------------------------------------------------------------

-- The new updated_at of a row: now, but later than the old one whatever the clocks say, since it also serves as a
-- compare-and-set token. STABLE, as the addition is: Postgres then puts the expression in place of the call.
CREATE OR REPLACE FUNCTION later(old timestamptz, now timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN greatest(now, old + interval '1 microsecond');

-- An instant so much later. A function since Citus refuses the operator on a column in an UPDATE: on Citus functions like this one are
-- declared IMMUTABLE (kernel/citus.py).
CREATE OR REPLACE FUNCTION time_after(at timestamptz, wait interval) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN at + wait;

-- Whether a row's version is one of those that If-Match names; NULL: there was no If-Match; 0 among them: any (`*`).
CREATE OR REPLACE FUNCTION matches(version integer, if_match integer[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN if_match IS NULL OR version = ANY (if_match) OR 0 = ANY (if_match);

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

-- Jobs of the entered org that are not over, and that nothing will move on: 'no_entry' without an entry of the queue,
-- 'no_worker' with one whose worker has shown no sign of life since `dead_before`, 'overdue' with one that every worker has
-- left lying since `overdue_before`. A job may have two entries (an attempt that ends, and the next one): one live entry will do.
CREATE OR REPLACE FUNCTION stuck_jobs_of(org text, dead_before timestamptz, overdue_before timestamptz)
    RETURNS TABLE (job_id text, queue text, reason text)
    LANGUAGE sql STABLE AS $$
        SELECT job.id, job.queue,
               CASE WHEN count(entry.id) = 0 THEN 'no_entry'
                    WHEN bool_or(entry.status = 'doing') THEN 'no_worker'
                    ELSE 'overdue' END
          FROM jobs job
          LEFT JOIN procrastinate_jobs entry
            ON entry.args->>'job_id' = job.id AND entry.status IN ('todo', 'doing')
          LEFT JOIN procrastinate_workers worker ON worker.id = entry.worker_id
         WHERE job.org_id = org AND job.status IN ('queued', 'running')
         GROUP BY job.id, job.queue
        HAVING NOT bool_or(CASE entry.status
                           WHEN 'doing' THEN coalesce(worker.last_heartbeat >= dead_before, false)
                           WHEN 'todo' THEN coalesce(entry.scheduled_at, job.created_at) >= overdue_before
                           ELSE false END);
    $$;

-- The same for every org. The walls hold the owner of this function too, so it enters each org to look.
CREATE OR REPLACE FUNCTION stuck_jobs(dead_before timestamptz, overdue_before timestamptz)
    RETURNS TABLE (org_id text, job_id text, queue text, reason text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM enter_org(org);
        RETURN QUERY SELECT org, stuck.job_id, stuck.queue, stuck.reason FROM stuck_jobs_of(org, dead_before, overdue_before) stuck;
    END LOOP;
    PERFORM enter_org(entered);
END $$;

-- Gives every job of a queue that has no entry one, so that a worker takes it up: how many. Two at once would each make
-- one: the second does nothing.
CREATE OR REPLACE FUNCTION reconcile_jobs(in_queue text, in_now timestamptz) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    lost record;
    requeued integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(8321000003) THEN
        RETURN 0;
    END IF;
    FOR lost IN SELECT * FROM stuck_jobs('-infinity', '-infinity') stuck
                 WHERE stuck.reason = 'no_entry' AND stuck.queue = in_queue LOOP
        PERFORM enter_org(lost.org_id);
        PERFORM enqueue_job(job.queue, job.org_id, job.id, job.not_before)
           FROM jobs job
          WHERE job.org_id = lost.org_id AND job.id = lost.job_id
            AND job.status IN ('queued', 'running');
        IF FOUND THEN
            requeued := requeued + 1;
            UPDATE jobs job
               SET status = 'queued', version = job.version + 1,
                   updated_at = greatest(in_now, job.updated_at + interval '1 microsecond')
             WHERE job.org_id = lost.org_id AND job.id = lost.job_id AND job.status = 'running';
        END IF;
    END LOOP;
    PERFORM enter_org(entered);
    RETURN requeued;
END $$;

REVOKE ALL ON FUNCTION stuck_jobs, reconcile_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stuck_jobs, reconcile_jobs TO holdfast_app;
