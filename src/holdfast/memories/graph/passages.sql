-- name: items_to_index
-- With the name of the node, and the audience that the passage is filed under: the node's, or that of its memory where that
-- is narrower. Reading an item asks for both.
-- sight: for the index, which keeps each item's audience.
SELECT i.id, i.content, i.created_at, n.name, n.workspace_id,
       CASE WHEN m.audience IS NULL OR n.visibility = 'user' THEN n.audience ELSE m.audience END AS audience
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
  LEFT JOIN memories m ON m.org_id = i.org_id AND m.id = i.memory_id
 WHERE i.org_id = %(org_id)s AND i.id = ANY (%(ids)s);

-- name: items_of_node
-- sight: the node was read under it, and all of its items move or go with it.
SELECT i.id FROM node_items i WHERE i.org_id = %(org_id)s AND i.node_id = %(node_id)s;
