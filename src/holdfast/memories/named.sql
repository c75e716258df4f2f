-- name: answering
-- Every node that answers to one of some names, by which; one that bears the name exactly comes first, then the oldest.
SELECT asked.name AS asked, n.id, n.name
  FROM unnest(%(names)s::text[]) AS asked (name)
  JOIN node_names a ON a.org_id = %(org_id)s AND a.folded = folded(asked.name)
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
   AND (position(lower(%(text)s) IN lower(n.kind)) > 0
        OR EXISTS (SELECT FROM node_names a
                    WHERE a.org_id = n.org_id AND a.node_id = n.id
                      AND position((SELECT folded(%(text)s)) IN a.folded) > 0)
        OR EXISTS (SELECT FROM node_items i
                    WHERE i.org_id = n.org_id AND i.node_id = n.id
                      AND position(lower(%(text)s) IN lower(i.content)) > 0
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
