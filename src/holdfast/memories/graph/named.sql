-- name: answering
-- Every node that answers to one of some names, by which; one that bears the name exactly comes first, then the oldest.
-- The names are folded ahead: under a policy a function that may tell what it is given keeps the index out of the join.
WITH asked AS MATERIALIZED (
    SELECT a.name, folded(a.name) AS folded FROM unnest(%(names)s::text[]) AS a (name)
)
SELECT asked.name AS asked, n.id, n.name
  FROM asked
  JOIN node_names a ON a.org_id = %(org_id)s AND a.folded = asked.folded
  JOIN nodes n ON n.org_id = a.org_id AND n.id = a.node_id
 WHERE n.merged_into IS NULL
   AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id)
 ORDER BY asked.name, n.name <> asked.name, n.id;

-- name: search
-- Nodes by a part of a name, a kind, or something known of them that the caller may see; everything matches ''.
SELECT n.id, n.name, n.kind, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
       items_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, n.id) AS items
  FROM nodes n
 WHERE n.org_id = %(org_id)s
   AND n.merged_into IS NULL
   AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id)
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
           AND sees_item(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, i.memory_id)))
 ORDER BY n.id
 LIMIT %(limit)s;

-- name: relations_of
-- The edges that hold now and have an end among these nodes, by name, oldest first.
SELECT e.id, f.name AS from_name, t.name AS to_name, e.relation, e.from_id, e.to_id
  FROM node_edges e
  JOIN nodes f ON f.org_id = e.org_id AND f.id = e.from_id
  JOIN nodes t ON t.org_id = e.org_id AND t.id = e.to_id
 WHERE e.org_id = %(org_id)s
   AND (e.from_id = ANY (%(ids)s) OR e.to_id = ANY (%(ids)s))
   AND (e.valid_from IS NULL OR e.valid_from <= %(now)s)
   AND (e.valid_to IS NULL OR e.valid_to > %(now)s)
 ORDER BY e.id;
