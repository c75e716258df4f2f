-- name: walk
-- The nodes around one, nearest first, by edges that hold at an instant. A node that is reached again at the same depth
-- is the same row, and UNION keeps it once: circles end there, and at the depth.
WITH RECURSIVE walk (id, depth) AS (
    SELECT %(id)s::text, 0
    UNION
    SELECT step.id, walk.depth + 1
      FROM walk
     CROSS JOIN LATERAL (
           SELECT e.to_id AS id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.from_id = walk.id AND %(outward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
            UNION ALL
           SELECT e.from_id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.to_id = walk.id AND %(inward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)) AS step
     WHERE walk.depth < %(depth)s
)
SELECT walk.id, min(walk.depth)::int AS depth
  FROM walk
 GROUP BY walk.id
 ORDER BY depth, walk.id
 LIMIT %(limit)s;

-- name: edges_walked
-- The edges by which a walk went from nodes it opened (`from_ids`) to nodes it found (`ids`).
SELECT e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at
  FROM node_edges e
 WHERE e.org_id = %(org_id)s
   AND ((%(outward)s AND e.from_id = ANY (%(from_ids)s) AND e.to_id = ANY (%(ids)s))
        OR (%(inward)s AND e.to_id = ANY (%(from_ids)s) AND e.from_id = ANY (%(ids)s)))
   AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
   AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
 ORDER BY e.id;

-- name: edges_around
-- Every edge that holds at an instant and has an end among these nodes: one step of a search for a path.
SELECT e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at
  FROM (SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.from_id = ANY (%(ids)s)
        UNION
        SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.to_id = ANY (%(ids)s)) AS e
 WHERE (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
 ORDER BY e.id;
