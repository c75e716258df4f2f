-- name: walk
-- The nodes around one, nearest first, by edges that hold at an instant and between nodes that the caller sees. A node that
-- is reached again at the same depth is the same row, and UNION keeps it once: circles end there, and at the depth.
WITH RECURSIVE seen AS MATERIALIZED (
    SELECT audiences_seen({by}) AS audiences
), walk (id, depth) AS (
    SELECT %(id)s::text, 0
    UNION
    SELECT n.id, walk.depth + 1
      FROM walk
     CROSS JOIN LATERAL (
           SELECT e.to_id AS id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.from_id = walk.id AND %(outward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND {edge_holds}
            UNION ALL
           SELECT e.from_id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.to_id = walk.id AND %(inward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND {edge_holds}) AS step
      JOIN nodes n ON n.org_id = %(org_id)s AND n.id = step.id
     WHERE walk.depth < %(depth)s
       AND n.audience = ANY ((SELECT audiences FROM seen)::text[])
       AND in_workspace(%(by_workspace)s, n.workspace_id)
)
SELECT walk.id, min(walk.depth)::int AS depth
  FROM walk
 GROUP BY walk.id
 ORDER BY depth, walk.id
 LIMIT %(limit)s;

-- name: edges_walked
-- The edges by which a walk went from nodes it opened (`from_ids`) to nodes it found (`ids`).
-- sight: the walk went over nodes that the caller sees.
SELECT {edge_columns}
  FROM node_edges e
 WHERE e.org_id = %(org_id)s
   AND ((%(outward)s AND e.from_id = ANY (%(from_ids)s) AND e.to_id = ANY (%(ids)s))
        OR (%(inward)s AND e.to_id = ANY (%(from_ids)s) AND e.from_id = ANY (%(ids)s)))
   AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
   AND {edge_holds}
 ORDER BY e.id;

-- name: edges_around
-- Every edge that holds at an instant, has an end among these nodes and joins two that the caller sees: one step of a search
-- for a path.
WITH seen AS MATERIALIZED (
    SELECT audiences_seen({by}) AS audiences
)
SELECT {edge_columns}
  FROM (SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.from_id = ANY (%(ids)s)
        UNION
        SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.to_id = ANY (%(ids)s)) AS e
  JOIN nodes f ON f.org_id = %(org_id)s AND f.id = e.from_id
  JOIN nodes t ON t.org_id = %(org_id)s AND t.id = e.to_id
 WHERE {edge_holds}
   AND f.audience = ANY ((SELECT audiences FROM seen)::text[]) AND in_workspace(%(by_workspace)s, f.workspace_id)
   AND t.audience = ANY ((SELECT audiences FROM seen)::text[]) AND in_workspace(%(by_workspace)s, t.workspace_id)
 ORDER BY e.id;
