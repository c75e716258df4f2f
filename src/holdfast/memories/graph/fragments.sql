-- Texts that the statements about the node graph share.

-- fragment: node_columns
n.id, n.name, n.kind, n.visibility, n.user_id, n.project_id, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
       items_seen({by}, %(now)s, n.id) AS items

-- fragment: node_state
-- A node as its revision keeps it.
n.id, n.version, n.name, n.kind, n.visibility, n.aliases, n.summary

-- fragment: edge_columns
e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at

-- fragment: edge_holds
-- Whether an edge holds at an instant.
(e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
