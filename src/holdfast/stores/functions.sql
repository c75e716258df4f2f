-- Whether a caller sees a store: one of the active workspace (where the org has workspaces), for the org or for its maker.
CREATE OR REPLACE FUNCTION sees_store(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, workspace text, audience text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN in_workspace(by_workspace, workspace)
       AND (audience = 'org' OR sees(by_user, by_agent, by_project, by_workspace, by_run, audience));
