-- name: memories_around
-- One hop: from the nodes that were matched (by an item that was found, or by a name that the query holds) to the
-- memories of their items and of their neighbours' items, over nodes that the caller sees. A neighbour's count for half.
-- The memories themselves are read under sight afterwards.
WITH seen AS MATERIALIZED (
    SELECT audiences({by}) AS audiences
), matched AS (
    SELECT n.id
      FROM (SELECT i.node_id AS id
              FROM node_items i
             WHERE i.org_id = %(org_id)s AND (i.id = ANY (%(item_ids)s) OR i.memory_id = ANY (%(memory_ids)s))
            UNION
            SELECT w.node_id
              FROM node_names w
             WHERE w.org_id = %(org_id)s
               AND w.audience = ANY ((SELECT audiences FROM seen)::text[])
               AND length(w.folded) >= 3
               AND position(' ' || w.folded || ' ' IN ' ' || folded(%(spoken)s) || ' ') > 0) AS met
      JOIN nodes n ON n.org_id = %(org_id)s AND n.id = met.id
     WHERE n.audience = ANY ((SELECT audiences FROM seen)::text[])
       AND in_workspace(%(by_workspace)s, n.workspace_id)
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
   AND n.audience = ANY ((SELECT audiences FROM seen)::text[])
   AND in_workspace(%(by_workspace)s, n.workspace_id)
 GROUP BY i.memory_id;

-- name: recalled_items
-- An item is shown to those who see its node, and its memory where it has one.
-- sight: `audiences` are those that recall_sight gave.
SELECT i.id, i.node_id, i.content, i.source, i.memory_id, i.created_at
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
 WHERE i.org_id = %(org_id)s
   AND i.id = ANY (%(ids)s)
   AND n.audience = ANY (%(audiences)s)
   AND (%(workspace_id)s::text IS NULL OR n.workspace_id = %(workspace_id)s)
   AND (i.memory_id IS NULL
        OR EXISTS (SELECT FROM memories m
                    WHERE m.org_id = %(org_id)s AND m.id = i.memory_id
                      AND m.audience = ANY (%(audiences)s)
                      AND (%(workspace_id)s::text IS NULL OR m.workspace_id = %(workspace_id)s)
                      AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
                      AND m.superseded_by IS NULL));
