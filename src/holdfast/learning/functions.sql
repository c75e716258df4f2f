-- The functions of learning: what the worker looks for in every org.

-- Sessions with messages that were not learned from, where nothing was appended since `before` and no job is on its way. A
-- session whose last job failed or was cancelled waits until something is appended again, or a person retries the job.
CREATE OR REPLACE FUNCTION rested_sessions(before timestamptz)
    RETURNS TABLE (org_id text, session_id text, user_id text, agent_id text, workspace_id text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM enter_org(org);
        RETURN QUERY
            SELECT org, s.id, s.user_id, s.agent_id, s.workspace_id
              FROM sessions s
              LEFT JOIN (SELECT id, status, finished_at FROM jobs WHERE jobs.org_id = org) j ON j.id = s.settle_job
             WHERE s.org_id = org
               AND (s.learned_until IS NULL OR s.learned_until < s.last_activity_at)
               AND s.last_activity_at <= before
               AND EXISTS (SELECT FROM session_conversations c WHERE c.org_id = s.org_id AND c.session_id = s.id)
               AND (j.id IS NULL OR j.status = 'succeeded'
                    OR (j.status IN ('failed', 'cancelled') AND j.finished_at < s.last_activity_at))
             ORDER BY s.last_activity_at
             LIMIT 1000;
    END LOOP;
    PERFORM enter_org(entered);
END $$;

-- The orgs that hold texts given before an instant.
CREATE OR REPLACE FUNCTION given_texts_to_sweep(before timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM enter_org(org);
        IF EXISTS (SELECT FROM given_texts g WHERE g.org_id = org AND g.given_at < before) THEN
            RETURN NEXT org;
        END IF;
    END LOOP;
    PERFORM enter_org(entered);
END $$;

-- The users, and agents without one, whose memory was learned for and not consolidated since.
CREATE OR REPLACE FUNCTION owners_to_consolidate(since timestamptz)
    RETURNS TABLE (org_id text, user_id text, agent_id text, workspace_id text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM enter_org(org);
        RETURN QUERY
            SELECT DISTINCT ON (p.audience) org, p.user_id, CASE WHEN p.user_id IS NULL THEN p.agent_id END, p.workspace_id
              FROM proposals p
             WHERE p.org_id = org AND p.status = 'applied' AND (p.user_id IS NOT NULL OR p.agent_id IS NOT NULL)
               AND NOT EXISTS (SELECT FROM (SELECT jobs.user_id, jobs.agent_id FROM jobs
                                             WHERE jobs.org_id = org AND jobs.kind = 'consolidate' AND jobs.created_at > since) j
                                WHERE j.user_id IS NOT DISTINCT FROM p.user_id
                                  AND (p.user_id IS NOT NULL OR j.agent_id = p.agent_id))
             ORDER BY p.audience, p.id DESC
             LIMIT 1000;
    END LOOP;
    PERFORM enter_org(entered);
END $$;

REVOKE ALL ON FUNCTION rested_sessions, given_texts_to_sweep, owners_to_consolidate FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rested_sessions, given_texts_to_sweep, owners_to_consolidate TO holdfast_app;
