-- name: list_revisions
-- The audience of a revision is that of its object. Of an object that is gone, a caller sees only changes made for its own user;
-- so do changes of the org, its people and keys, which administrators see whole. A caller without an agent of its own also
-- sees what is of the agents that it may name.
SELECT r.id, r.kind, r.object_id, r.parent_id, r.label, r.version, r.action, r.actor_type, r.actor_id, r.user_id,
       CASE WHEN r.actor_type = 'job' THEN r.actor_id END AS job_id, r.created_at
  FROM revisions r
 CROSS JOIN LATERAL (
       SELECT CASE r.kind
              WHEN 'entry' THEN r.parent_id
              WHEN 'memory' THEN (SELECT m.audience FROM memories m WHERE m.org_id = %(org_id)s AND m.id = r.object_id)
              WHEN 'node' THEN (SELECT n.audience FROM nodes n WHERE n.org_id = %(org_id)s AND n.id = r.object_id)
              WHEN 'block' THEN (SELECT audience(NULL, b.user_id, b.agent_id, NULL, NULL)
                                   FROM blocks b WHERE b.org_id = %(org_id)s AND b.id = r.object_id)
              WHEN 'store' THEN (SELECT s.audience FROM memory_stores s WHERE s.org_id = %(org_id)s AND s.id = r.object_id)
              WHEN 'store_entry' THEN (SELECT s.audience FROM memory_stores s WHERE s.org_id = %(org_id)s AND s.id = r.parent_id)
              END AS text) a
 WHERE r.org_id = %(org_id)s
   AND r.id < %(older_than)s AND r.id > %(newer_than)s
   AND (%(kind)s::text IS NULL OR r.kind = %(kind)s)
   AND (%(object_id)s::text IS NULL OR r.object_id = %(object_id)s)
   AND (%(actor)s::text IS NULL OR r.actor_id = %(actor)s)
   AND (%(user_id)s::text IS NULL OR r.user_id = %(user_id)s)
   AND (%(job_id)s::text IS NULL OR (r.actor_type = 'job' AND r.actor_id = %(job_id)s))
   AND (%(since)s::timestamptz IS NULL OR r.created_at >= %(since)s)
   AND (r.user_id = %(by_user)s::text
        OR (%(administers)s AND r.kind IN ('org', 'workspace', 'agent', 'user', 'key', 'memory_resource'))
        OR sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, a.text)
        OR (%(names_agents)s AND starts_with(a.text, 'agent:')
            AND (position('+user:' IN a.text) = 0 OR split_part(a.text, '+user:', 2) = %(by_user)s)
            AND EXISTS (SELECT FROM agents g
                         WHERE g.org_id = r.org_id AND g.id = substr(split_part(a.text, '+', 1), length('agent:') + 1)
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
