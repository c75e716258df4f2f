-- Texts that statements of every room share; kernel/sql.py fills them in.

-- fragment: by
%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s

-- fragment: written_revision
-- The columns of a revision that is being written.
org_id, id, kind, object_id, parent_id, label, version, action, actor_type, actor_id, user_id, agent_id, session_id,
    request_id, created_at, state, content
