-- name: put_edge
-- The same from, to and relation is updated in place; what is not given stays.
INSERT INTO node_edges AS e (org_id, id, from_id, to_id, relation, weight, valid_from, valid_to, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(from_id)s, %(to_id)s, %(relation)s, coalesce(%(weight)s::float8, 1), %(valid_from)s,
        %(valid_to)s, %(now)s, %(now)s)
ON CONFLICT (org_id, from_id, to_id, relation) DO UPDATE
   SET weight = coalesce(%(weight)s::float8, e.weight),
       valid_from = CASE WHEN %(set_valid_from)s THEN excluded.valid_from ELSE e.valid_from END,
       valid_to = CASE WHEN %(set_valid_to)s THEN excluded.valid_to ELSE e.valid_to END,
       version = e.version + 1,
       updated_at = greatest(%(now)s, e.updated_at + interval '1 microsecond')
RETURNING e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at;

-- name: delete_edge
-- Gives no row where there is no such edge for the caller.
DELETE FROM node_edges e
 USING nodes n
 WHERE e.org_id = %(org_id)s
   AND e.id = %(id)s
   AND n.org_id = e.org_id AND n.id = e.from_id
   AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id)
   AND (%(if_match)s::int[] IS NULL OR e.version = ANY (%(if_match)s))
RETURNING e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at;

-- name: edge_exists
SELECT EXISTS (
    SELECT FROM node_edges e JOIN nodes n ON n.org_id = e.org_id AND n.id = e.from_id
     WHERE e.org_id = %(org_id)s AND e.id = %(id)s
       AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id));
