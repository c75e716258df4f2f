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

-- name: memories_around
-- One hop: from the nodes that were matched (by an item that was found, or by a name that the query holds) to the
-- memories of their items and of their neighbours' items. A neighbour's count for half.
WITH matched AS (
    SELECT i.node_id AS id
      FROM node_items i
     WHERE i.org_id = %(org_id)s AND (i.id = ANY (%(item_ids)s) OR i.memory_id = ANY (%(memory_ids)s))
    UNION
    SELECT n.node_id
      FROM node_names n
     WHERE n.org_id = %(org_id)s
       AND length(n.folded) >= 3
       AND position(' ' || n.folded || ' ' IN ' ' || folded(%(spoken)s) || ' ') > 0
), near AS (
    SELECT m.id, 1.0::double precision AS weight FROM matched m
    UNION ALL
    SELECT CASE WHEN e.from_id = m.id THEN e.to_id ELSE e.from_id END, 0.5 * least(greatest(e.weight, 0), 1)
      FROM matched m
      JOIN node_edges e ON e.org_id = %(org_id)s AND (e.from_id = m.id OR e.to_id = m.id)
     WHERE (e.valid_to IS NULL OR e.valid_to > %(now)s)
)
SELECT i.memory_id AS id, max(near.weight) AS weight
  FROM near
  JOIN nodes n ON n.org_id = %(org_id)s AND n.id = near.id
  JOIN node_items i ON i.org_id = n.org_id AND i.node_id = n.id
 WHERE i.memory_id IS NOT NULL
   AND (%(workspace_id)s::text IS NULL OR n.workspace_id = %(workspace_id)s)
 GROUP BY i.memory_id;

-- name: recalled_items
-- An item of a memory is shown to those who see the memory.
SELECT i.id, i.node_id, i.content, i.source, i.memory_id, i.created_at
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
 WHERE i.org_id = %(org_id)s
   AND i.id = ANY (%(ids)s)
   AND (%(workspace_id)s::text IS NULL OR n.workspace_id = %(workspace_id)s)
   AND (i.memory_id IS NULL
        OR EXISTS (SELECT FROM memories m
                    WHERE m.org_id = i.org_id AND m.id = i.memory_id
                      AND m.context = ANY (%(contexts)s)
                      AND (%(workspace_id)s::text IS NULL OR m.workspace_id = %(workspace_id)s)
                      AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
                      AND m.superseded_by IS NULL));

-- name: items_to_index
-- With the name of the node, and where the memory of each lies.
SELECT i.id, i.content, i.created_at, n.name, n.workspace_id, m.context
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
  LEFT JOIN memories m ON m.org_id = i.org_id AND m.id = i.memory_id
 WHERE i.org_id = %(org_id)s AND i.id = ANY (%(ids)s);

-- name: items_of_node
SELECT i.id FROM node_items i WHERE i.org_id = %(org_id)s AND i.node_id = %(node_id)s;
