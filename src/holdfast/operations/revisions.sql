-- name: list_revisions
-- The audience and the workspace of a revision are those of its object. Without an audience in `o` the object is gone, or its kind
-- has none of its own: then a caller sees the changes that were made for its own user, and an agent key those by its own agent
-- alone. Administrators see all changes of the org, its people and keys. A caller without an agent of its own also sees what
-- is of the agents that it may name.
SELECT r.id, r.kind, r.object_id, r.parent_id, r.label, r.version, r.action, r.actor_type, r.actor_id, r.user_id,
       CASE WHEN r.actor_type = 'job' THEN r.actor_id END AS job_id, r.created_at
  FROM revisions r
  LEFT JOIN LATERAL (
       SELECT r.parent_id AS audience, NULL AS workspace_id
        WHERE r.kind = 'entry' AND NOT starts_with(r.parent_id, 'run:')
        UNION ALL
       SELECT m.audience, m.workspace_id FROM memories m
        WHERE r.kind = 'memory' AND m.org_id = %(org_id)s AND m.id = r.object_id
        UNION ALL
       SELECT n.audience, n.workspace_id FROM nodes n
        WHERE r.kind = 'node' AND n.org_id = %(org_id)s AND n.id = r.object_id
        UNION ALL
       SELECT audience(NULL, b.user_id, b.agent_id, NULL, NULL), NULL FROM blocks b
        WHERE r.kind = 'block' AND b.org_id = %(org_id)s AND b.id = r.object_id
        UNION ALL
       SELECT s.audience, s.workspace_id FROM memory_stores s
        WHERE r.kind IN ('store', 'store_entry') AND s.org_id = %(org_id)s
          AND s.id = CASE r.kind WHEN 'store' THEN r.object_id ELSE r.parent_id END
        UNION ALL
       SELECT NULL, c.workspace_id FROM conversations c
        WHERE r.kind = 'conversation' AND c.org_id = %(org_id)s AND c.id = r.object_id
        UNION ALL
       SELECT NULL, p.workspace_id FROM projects p
        WHERE r.kind = 'project' AND p.org_id = %(org_id)s AND p.id = r.object_id) o ON true
 WHERE r.org_id = %(org_id)s
   AND r.id < %(older_than)s AND r.id > %(newer_than)s
   AND (%(kind)s::text IS NULL OR r.kind = %(kind)s)
   AND (%(object_id)s::text IS NULL OR r.object_id = %(object_id)s)
   AND (%(actor)s::text IS NULL OR r.actor_id = %(actor)s)
   AND (%(user_id)s::text IS NULL OR r.user_id = %(user_id)s)
   AND (%(job_id)s::text IS NULL OR (r.actor_type = 'job' AND r.actor_id = %(job_id)s))
   AND (%(since)s::timestamptz IS NULL OR r.created_at >= %(since)s)
   AND in_workspace(%(by_workspace)s, o.workspace_id)
   AND ((o.audience IS NULL AND r.user_id = %(by_user)s::text
         AND (%(names_agents)s OR r.agent_id IS NULL OR r.agent_id = %(by_agent)s::text))
        OR (%(administers)s AND r.kind IN ('org', 'workspace', 'agent', 'user', 'key', 'memory_resource'))
        OR sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, o.audience)
        OR (%(names_agents)s AND starts_with(o.audience, 'agent:')
            AND (position('+user:' IN o.audience) = 0 OR split_part(o.audience, '+user:', 2) = %(by_user)s)
            AND EXISTS (SELECT FROM agents g
                         WHERE g.org_id = r.org_id AND g.id = substr(split_part(o.audience, '+', 1), length('agent:') + 1)
                           AND g.workspace_id = %(by_workspace)s
                           AND (g.project_id IS NULL OR sees_project(%(by_user)s, %(by_workspace)s, g.project_id)))))
 ORDER BY r.id DESC
 LIMIT %(limit)s;

-- name: count_writes
-- sight: numbers of the org, without any name or text
SELECT date_bin(%(bucket)s, r.created_at, timestamptz '2001-01-01 00:00:00+00') AS at, count(*)::int AS writes,
       count(*) FILTER (WHERE r.action IN ('evicted', 'flushed'))::int AS evictions,
       count(*) FILTER (WHERE r.actor_type = 'job')::int AS by_jobs
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.id > %(since_id)s
 GROUP BY 1
 ORDER BY 1;
