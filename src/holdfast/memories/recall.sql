-- name: recall_sight
-- The contexts that a caller reads, and the workspace that its reads are held to; and what recall must know of these
-- scopes before a query is embedded.
SELECT seen.contexts, active_workspace(%(by_workspace)s) AS workspace_id, begun.names, begun.model, begun.weights
  FROM (SELECT memory_contexts(%(by_user)s, %(by_agent)s, %(by_project)s) AS contexts OFFSET 0) seen
 CROSS JOIN LATERAL recall_begin(ARRAY(SELECT 'memory/' || c FROM unnest(seen.contexts) c) || 'node/items'::text, %(words)s) begun;

-- name: memories_to_index
SELECT m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
       m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
       m.superseded_by, m.version, m.created_at, m.updated_at, '[]'::jsonb AS assets, '{}'::text[] AS node_ids
  FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s) AND m.superseded_by IS NULL;

-- name: recalled_memories
-- The index brought these up; the rows are read under the policy, and the rule of sight holds once more.
SELECT m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
       m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
       m.superseded_by, m.version, m.created_at, m.updated_at,
       -- Few have any: a look into the index is cheaper than the functions.
       CASE WHEN EXISTS (SELECT FROM memory_assets a WHERE a.org_id = m.org_id AND a.memory_id = m.id)
            THEN assets_of(m.id) ELSE '[]' END AS assets,
       CASE WHEN EXISTS (SELECT FROM node_items i WHERE i.org_id = m.org_id AND i.memory_id = m.id)
            THEN nodes_of(m.id) ELSE '{}' END AS node_ids
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND m.context = ANY (%(contexts)s)
   AND (%(workspace_id)s::text IS NULL OR m.workspace_id = %(workspace_id)s)
   AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (m.valid_to IS NULL OR m.valid_to > %(now)s)
   AND m.superseded_by IS NULL;

-- name: asked_about
-- What became of memories that a caller asks about and may see.
SELECT m.id,
       (m.expires_at <= %(now)s OR m.valid_to <= %(now)s) IS TRUE AS expired,
       m.superseded_by IS NOT NULL AS superseded
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id);
