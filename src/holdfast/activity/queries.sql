-- fragment: object_is_seen
-- The object that a revision `r` is about, as it is now, is seen by the caller. The directory is for administrators.
CASE r.kind
       WHEN 'memory' THEN EXISTS (
           SELECT FROM memories m
            WHERE m.org_id = r.org_id AND m.id = r.object_id AND in_workspace(%(by_workspace)s, m.workspace_id)
              AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, m.audience))
       WHEN 'node' THEN EXISTS (
           SELECT FROM nodes n
            WHERE n.org_id = r.org_id AND n.id = r.object_id AND in_workspace(%(by_workspace)s, n.workspace_id)
              AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, n.audience))
       WHEN 'store' THEN EXISTS (
           SELECT FROM memory_stores s
            WHERE s.org_id = r.org_id AND s.id = r.object_id AND in_workspace(%(by_workspace)s, s.workspace_id)
              AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, s.audience))
       WHEN 'store_entry' THEN EXISTS (
           SELECT FROM memory_stores s
            WHERE s.org_id = r.org_id AND s.id = r.parent_id AND in_workspace(%(by_workspace)s, s.workspace_id)
              AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, s.audience))
       -- A caller that is no agent may name any agent of its workspace, and reads what is that agent's alone.
       WHEN 'entry' THEN EXISTS (
           SELECT FROM entries e
            WHERE e.org_id = r.org_id AND e.id = r.object_id AND e.workspace_id = %(by_workspace)s
              AND sees(%(by_user)s, coalesce(%(by_agent)s, e.agent_id), NULL, %(by_workspace)s, %(by_run)s, e.audience))
       WHEN 'block' THEN EXISTS (
           SELECT FROM blocks b
            WHERE b.org_id = r.org_id AND b.id = r.object_id AND b.user_id = %(by_user)s
              AND (%(by_agent)s::text IS NULL OR b.agent_id IS NULL OR b.agent_id = %(by_agent)s))
       WHEN 'conversation' THEN
           sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, coalesce(r.state ->> 'owner', 'nobody'))
       WHEN 'project' THEN sees_project(%(by_user)s, %(by_workspace)s, r.object_id)
       ELSE %(administers)s AND r.kind IN ('org', 'user', 'key', 'workspace', 'agent', 'memory_resource', 'project')
   END

-- name: list_revisions
-- Revisions of what the caller sees, and those that were made for the user it acts for, also of what is gone. An agent's key
-- sees only the first: its user's changes through other agents are not for it.
SELECT r.id, r.kind, r.object_id, r.parent_id, r.label, r.version, r.action, r.actor_type, r.actor_id, r.user_id,
       CASE WHEN r.actor_type = 'job' THEN r.actor_id END AS job_id, r.created_at
  FROM revisions r
 WHERE r.org_id = %(org_id)s
   AND r.id < %(older_than)s AND r.id > %(newer_than)s
   AND (%(since_id)s::text IS NULL OR r.id > %(since_id)s)
   AND (%(kind)s::text IS NULL OR r.kind = %(kind)s)
   AND (%(object_id)s::text IS NULL OR r.object_id = %(object_id)s)
   AND (%(actor)s::text IS NULL OR r.actor_id = %(actor)s)
   AND (%(user_id)s::text IS NULL OR r.user_id = %(user_id)s)
   AND (%(job_id)s::text IS NULL OR (r.actor_type = 'job' AND r.actor_id = %(job_id)s))
   AND ((%(by_agent)s::text IS NULL AND r.user_id = %(by_user)s) OR {object_is_seen})
 ORDER BY r.id DESC
 LIMIT %(limit)s;

-- name: count_writes
-- sight: numbers of the org, without any name or text
SELECT date_trunc('day', r.created_at, 'UTC') AS day, count(*)::int AS writes,
       count(*) FILTER (WHERE r.action IN ('evicted', 'flushed'))::int AS evictions,
       count(*) FILTER (WHERE r.actor_type = 'job')::int AS learned
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.id > %(since_id)s
 GROUP BY 1
 ORDER BY 1;
