-- The audiences of entries that a caller sees through an agent, nearest first: the current run's, the user's with this agent,
-- the agent's own, its workspace's. Names that are null are left out. entries/reach.py has the same in Python.
CREATE OR REPLACE FUNCTION entries_seen(by_user text, by_agent text, by_project text, by_workspace text, by_run text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_remove(ARRAY['run:' || by_run, 'agent:' || by_agent || '+user:' || by_user, 'agent:' || by_agent,
                              'workspace:' || by_workspace], NULL);
