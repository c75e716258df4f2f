-- name: answering
-- Every node that answers to one of some names, by which: of an audience, where one is given. The caller's own come first,
-- then those that bear the name exactly, then the oldest.
-- The names are folded ahead: under row-level security a function that is not leakproof keeps the index out of the join.
WITH asked AS MATERIALIZED (
    SELECT a.name, folded(a.name) AS folded FROM unnest(%(names)s::text[]) AS a (name)
)
SELECT asked.name AS asked, n.id, n.name
  FROM asked
  JOIN node_names a ON a.org_id = %(org_id)s AND a.folded = asked.folded
  JOIN nodes n ON n.org_id = a.org_id AND n.id = a.node_id
 WHERE n.merged_into IS NULL
   AND n.audience = ANY ((SELECT audiences({by}))::text[])
   AND (%(audience)s::text IS NULL OR n.audience = %(audience)s)
   AND in_workspace(%(by_workspace)s, n.workspace_id)
 ORDER BY asked.name, n.visibility <> 'user', n.name <> asked.name, n.id;

-- name: search
-- Nodes by a part of a name, a kind, or an item that the caller sees; everything matches ''.
SELECT {node_columns}
  FROM nodes n
 WHERE n.org_id = %(org_id)s
   AND n.merged_into IS NULL
   AND n.audience = ANY ((SELECT audiences({by}))::text[])
   AND in_workspace(%(by_workspace)s, n.workspace_id)
   AND (%(text)s = '' OR n.id IN (
        SELECT k.id
          FROM nodes k
         WHERE k.org_id = %(org_id)s AND position(lower(%(text)s) IN lower(k.kind)) > 0
        UNION
        SELECT a.node_id
          FROM node_names a
         WHERE a.org_id = %(org_id)s AND position((SELECT folded(%(text)s)) IN a.folded) > 0
        UNION
        SELECT i.node_id
          FROM node_items i
         WHERE i.org_id = %(org_id)s AND position(lower(%(text)s) IN lower(i.content)) > 0
           AND sees_item({by}, %(now)s, i.memory_id)))
 ORDER BY n.id
 LIMIT %(limit)s;

-- name: relations_of
-- The edges that hold now, have an end among these nodes and another that the caller sees, by name, oldest first.
SELECT e.id, f.name AS from_name, t.name AS to_name, e.relation, e.from_id, e.to_id
  FROM node_edges e
  JOIN nodes f ON f.org_id = e.org_id AND f.id = e.from_id
  JOIN nodes t ON t.org_id = e.org_id AND t.id = e.to_id
 WHERE e.org_id = %(org_id)s
   AND (e.from_id = ANY (%(ids)s) OR e.to_id = ANY (%(ids)s))
   AND (e.valid_from IS NULL OR e.valid_from <= %(now)s)
   AND (e.valid_to IS NULL OR e.valid_to > %(now)s)
   AND f.audience = ANY ((SELECT audiences({by}))::text[]) AND in_workspace(%(by_workspace)s, f.workspace_id)
   AND t.audience = ANY ((SELECT audiences({by}))::text[]) AND in_workspace(%(by_workspace)s, t.workspace_id)
 ORDER BY e.id;
