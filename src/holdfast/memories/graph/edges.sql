-- name: put_edge
-- The same from, to and relation is updated in place; what is not given stays.
-- sight: both nodes were read under it.
INSERT INTO node_edges AS e (org_id, id, from_id, to_id, relation, weight, valid_from, valid_to, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(from_id)s, %(to_id)s, %(relation)s, coalesce(%(weight)s::float8, 1), %(valid_from)s,
        %(valid_to)s, %(now)s, %(now)s)
ON CONFLICT (org_id, from_id, to_id, relation) DO UPDATE
   SET weight = coalesce(%(weight)s::float8, e.weight),
       valid_from = CASE WHEN %(set_valid_from)s THEN excluded.valid_from ELSE e.valid_from END,
       valid_to = CASE WHEN %(set_valid_to)s THEN excluded.valid_to ELSE e.valid_to END,
       version = e.version + 1,
       updated_at = later(e.updated_at, %(now)s)
RETURNING {edge_columns};

-- name: read_edge
-- An edge is there for those who see both its nodes.
SELECT {edge_columns}
  FROM node_edges e
  JOIN nodes f ON f.org_id = e.org_id AND f.id = e.from_id
  JOIN nodes t ON t.org_id = e.org_id AND t.id = e.to_id
 WHERE e.org_id = %(org_id)s
   AND e.id = %(id)s
   AND sees_here({by}, f.audience, f.workspace_id)
   AND sees_here({by}, t.audience, t.workspace_id);

-- name: delete_edge
-- Gives no row where If-Match fails.
-- sight: the edge was read under it.
DELETE FROM node_edges e
 WHERE e.org_id = %(org_id)s AND e.id = %(id)s AND matches(e.version, %(if_match)s)
RETURNING {edge_columns};
