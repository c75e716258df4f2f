-- name: find_named
-- Those among the named that the caller may see: what a deletion by id is about.
SELECT m.id, m.scope
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
 ORDER BY m.id DESC;

-- name: find_filtered
-- All that a list with this filter would show: what a deletion by filter is about.
SELECT m.id, m.scope
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.context = ANY ((SELECT memory_contexts(%(by_user)s, %(by_agent)s, %(by_project)s))::text[])
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(scope)s::text IS NULL OR m.scope = %(scope)s)
   AND (%(category)s::text IS NULL OR m.category = %(category)s)
   AND (%(tag)s::text IS NULL OR %(tag)s = ANY (m.tags))
   AND (%(source)s::text IS NULL OR m.source = %(source)s)
   AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s)
   AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
   AND (%(session_id)s::text IS NULL OR m.session_id = %(session_id)s)
   AND (%(pinned)s::boolean IS NULL OR m.pinned = %(pinned)s)
   AND (%(min_importance)s::int IS NULL OR m.importance >= %(min_importance)s)
   AND (%(include_expired)s OR coalesce(least(m.expires_at, m.valid_to), 'infinity') > %(now)s)
   AND (%(include_superseded)s OR m.superseded_by IS NULL)
 ORDER BY m.id DESC;

-- name: delete_memories
-- The rows go, with their assets' rows; gives what was deleted, with the version its tombstone takes.
DELETE FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s)
RETURNING m.id, m.version + 1 AS version;

-- name: assets_of_memories
SELECT a.id FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = ANY (%(ids)s);

-- name: bury_memories
-- A tombstone for each: that it was deleted, when and by whom.
INSERT INTO revisions (
    org_id, id, kind, object_id, version, action, actor_type, actor_id, user_id, agent_id, session_id, request_id,
    created_at, redacted_at)
SELECT %(org_id)s, t.revision_id, 'memory', t.id, t.version, 'deleted', %(actor_type)s, %(actor_id)s, %(user_id)s,
       NULL, NULL, %(request_id)s, %(now)s, %(now)s
  FROM unnest(%(ids)s::text[], %(revision_ids)s::text[], %(versions)s::int[]) AS t (id, revision_id, version);
