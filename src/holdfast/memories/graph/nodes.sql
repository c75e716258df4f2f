-- name: create_node
-- Where the org has no workspaces enabled, its nodes are all in the default one.
-- sight: made for names that the caller carries.
INSERT INTO nodes AS n (
    org_id, id, workspace_id, visibility, user_id, project_id, name, kind, aliases, summary, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, coalesce(active_workspace(%(by_workspace)s), 'default'), %(visibility)s, %(by_user)s,
        %(project_id)s, %(name)s, %(kind)s, %(aliases)s, %(summary)s, %(now)s, %(now)s);

-- name: claim_names
-- Makes a node answer to its name and aliases: those that another node of its kind and audience answers to already.
-- sight: the node was made or read under it.
WITH node AS (
    SELECT n.id, n.workspace_id, n.audience, n.kind, n.name, n.aliases
      FROM nodes n
     WHERE n.org_id = %(org_id)s AND n.id = %(id)s
), wanted AS (
    SELECT DISTINCT node.workspace_id, node.audience, node.kind, folded(w.name) AS folded
      FROM node, unnest(node.name || node.aliases) AS w (name)
), claimed AS (
    INSERT INTO node_names (org_id, workspace_id, audience, kind, folded, node_id)
    SELECT %(org_id)s, w.workspace_id, w.audience, w.kind, w.folded, %(id)s FROM wanted w ORDER BY w.folded
    ON CONFLICT (org_id, workspace_id, audience, kind, folded) DO NOTHING
    RETURNING folded
)
SELECT w.folded FROM wanted w WHERE w.folded NOT IN (SELECT c.folded FROM claimed c) ORDER BY w.folded;

-- name: drop_names
-- sight: the node was read under it.
DELETE FROM node_names a WHERE a.org_id = %(org_id)s AND a.node_id = %(id)s;

-- name: holder_of_name
-- sight: it has the audience of a node that the caller sees.
SELECT a.node_id
  FROM node_names a
  JOIN nodes n ON n.org_id = a.org_id AND n.id = %(id)s
 WHERE a.org_id = %(org_id)s AND a.workspace_id = n.workspace_id AND a.audience = n.audience AND a.kind = n.kind
   AND a.folded = %(folded)s;

-- name: read_node
-- The node of an id, or the one it was merged into.
SELECT {node_columns}
  FROM nodes asked
  JOIN nodes n ON n.org_id = asked.org_id AND n.id = coalesce(asked.merged_into, asked.id)
 WHERE asked.org_id = %(org_id)s
   AND asked.id = %(id)s
   AND sees_here({by}, n.audience, n.workspace_id);

-- name: read_nodes
SELECT {node_columns}
  FROM unnest(%(ids)s::text[]) WITH ORDINALITY AS asked (id, place)
  JOIN nodes n ON n.org_id = %(org_id)s AND n.id = asked.id
 WHERE n.audience = ANY ((SELECT audiences_seen({by}))::text[])
   AND in_workspace(%(by_workspace)s, n.workspace_id)
 ORDER BY asked.place;

-- name: hold_nodes
-- Keeps nodes as they are until the transaction ends, in the order of their ids, so that two wait for each other instead
-- of forever. One that was merged away meanwhile is left out.
-- sight: the nodes were read under it.
SELECT n.id
  FROM nodes n
 WHERE n.org_id = %(org_id)s AND n.id = ANY (%(ids)s) AND n.merged_into IS NULL
 ORDER BY n.id
   FOR NO KEY UPDATE;

-- name: list_nodes
-- Walks the index of each audience that the caller belongs to, newest first, no further than the page needs.
SELECT {node_columns}
  FROM (
       SELECT n.*
         FROM unnest(audiences({by})) AS a (audience)
        CROSS JOIN LATERAL (
              SELECT n.*
                FROM nodes n
               WHERE n.org_id = %(org_id)s
                 AND n.audience = a.audience
                 AND n.merged_into IS NULL
                 AND in_workspace(%(by_workspace)s, n.workspace_id)
                 AND (%(kind)s::text IS NULL OR n.kind = %(kind)s)
                 AND (%(visibility)s::text IS NULL OR n.visibility = %(visibility)s)
                 AND (%(project_id)s::text IS NULL OR n.project_id = %(project_id)s)
                 AND (%(q)s::text IS NULL
                      OR EXISTS (SELECT FROM node_names w
                                  WHERE w.org_id = %(org_id)s AND w.node_id = n.id
                                    AND position((SELECT folded(%(q)s)) IN w.folded) > 0))
                 -- As rows, for the reason that list_memories has.
                 AND (n.audience, n.id) < (a.audience, %(older_than)s)
                 AND (n.audience, n.id) > (a.audience, %(newer_than)s)
               ORDER BY n.id DESC
               LIMIT %(limit)s) AS n
        ORDER BY n.id DESC
        LIMIT %(limit)s) AS n
 ORDER BY n.id DESC;

-- name: change_node
-- A field that is not given stays. Gives no row where If-Match fails, or the caller does not see the node.
UPDATE nodes n
   SET (name, kind, aliases, summary) =
       (SELECT f.name, f.kind, f.aliases, f.summary FROM jsonb_populate_record(n, %(fields)s) AS f),
       version = n.version + 1,
       updated_at = later(n.updated_at, %(now)s)
 WHERE n.org_id = %(org_id)s
   AND n.id = %(id)s
   AND sees_here({by}, n.audience, n.workspace_id)
   AND matches(n.version, %(if_match)s)
RETURNING {node_columns};

-- name: touch_nodes
-- Counts a change of a node's items as a change of the node.
-- sight: the nodes were read under it, or lose items of memories that are erased.
UPDATE nodes n
   SET version = n.version + 1, updated_at = later(n.updated_at, %(now)s)
 WHERE n.org_id = %(org_id)s AND n.id = ANY (%(ids)s)
RETURNING {node_state};

-- name: delete_node
-- With it go the ids that were merged into it. Gives no row where If-Match fails.
-- sight: the node was read under it.
WITH gone AS (
    DELETE FROM nodes n
     WHERE n.org_id = %(org_id)s
       AND n.id = %(id)s
       AND matches(n.version, %(if_match)s)
    RETURNING n.id, n.version
), followers AS (
    DELETE FROM nodes n USING gone WHERE n.org_id = %(org_id)s AND n.merged_into = gone.id
)
SELECT version FROM gone;

-- name: count_items
-- sight: the node was read under it.
SELECT count(*)::int FROM node_items i WHERE i.org_id = %(org_id)s AND i.node_id = %(node_id)s;

-- name: add_item
-- sight: the node was read under it, and the memory where there is one.
INSERT INTO node_items (org_id, id, node_id, content, source, memory_id, created_at)
VALUES (%(org_id)s, %(id)s, %(node_id)s, %(content)s, %(source)s, %(memory_id)s, %(now)s);

-- name: delete_item
-- Of a node that was read under sight. Gives no row where the node has no such item for the caller.
DELETE FROM node_items i
 WHERE i.org_id = %(org_id)s
   AND i.node_id = %(node_id)s
   AND i.id = %(id)s
   AND sees_item({by}, %(now)s, i.memory_id)
RETURNING i.id, i.content, i.source, i.memory_id, i.created_at;

-- name: drop_items_of
-- sight: the memories are being erased, and were found under it.
DELETE FROM node_items i
 WHERE i.org_id = %(org_id)s AND i.memory_id = ANY (%(memory_ids)s)
RETURNING i.id, i.node_id;
