-- name: items_to_index
-- With the name of the node, and where the memory of each lies.
SELECT i.id, i.content, i.created_at, n.name, n.workspace_id, m.context
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
  LEFT JOIN memories m ON m.org_id = i.org_id AND m.id = i.memory_id
 WHERE i.org_id = %(org_id)s AND i.id = ANY (%(ids)s);

-- name: items_of_node
SELECT i.id FROM node_items i WHERE i.org_id = %(org_id)s AND i.node_id = %(node_id)s;
