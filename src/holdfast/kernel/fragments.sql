-- Texts that statements of every room share; kernel/sql.py fills them in.

-- fragment: by
%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s

-- fragment: written_revision
-- The columns of a revision that is being written.
org_id, id, kind, object_id, parent_id, label, version, action, actor_type, actor_id, user_id, agent_id, session_id,
    request_id, created_at, state, content

-- fragment: candidate_columns
kind, object_id, starts, ends, session_id, actor, at, date_part('epoch', updated_at) AS updated_s, importance, pinned, lexical,
       rank, similarity, terms, whole, embedded, tokens, scope_size, preference

-- fragment: candidate_params
-- What recall_candidates is given besides the org, the scopes and the workspace.
%(labels)s, %(text)s, %(literals)s, %(vector)s, %(model)s, %(lexical_limit)s, %(semantic_limit)s, %(asked_at)s, %(closely)s, %(preferences)s, %(keep)s

-- fragment: seen_session
-- A session of the active workspace that belongs to the user acted for; one without a user belongs to its agent, and to
-- service keys. An agent key sees only sessions with its own agent. The session's project counts as long as its user may
-- see that project: a user who was removed from a private project speaks from outside it.
SELECT s.agent_id,
       CASE WHEN sees_project(s.user_id, s.workspace_id, s.project_id) THEN s.project_id END AS project_id
  FROM sessions s
 WHERE s.org_id = %(org_id)s
   AND s.id = %(session_id)s
   AND sees_session(%(by_user)s, %(by_agent)s, %(by_workspace)s, %(key_agent)s, %(any_agent)s,
                    s.workspace_id, s.user_id, s.agent_id)
