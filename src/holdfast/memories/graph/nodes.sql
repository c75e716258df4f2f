-- name: create_node
-- Where the org has no workspaces enabled, its nodes are all in the default one.
INSERT INTO nodes AS n (org_id, id, workspace_id, name, kind, aliases, summary, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, coalesce(active_workspace(%(by_workspace)s), 'default'), %(name)s, %(kind)s, %(aliases)s,
        %(summary)s, %(now)s, %(now)s);

-- name: claim_names
-- Makes a node answer to its name and aliases; gives those that another node of its kind answers to.
WITH node AS (
    SELECT n.id, n.workspace_id, n.kind, n.name, n.aliases
      FROM nodes n
     WHERE n.org_id = %(org_id)s AND n.id = %(id)s
), wanted AS (
    SELECT DISTINCT node.workspace_id, node.kind, folded(w.name) AS folded
      FROM node, unnest(node.name || node.aliases) AS w (name)
), claimed AS (
    INSERT INTO node_names (org_id, workspace_id, kind, folded, node_id)
    SELECT %(org_id)s, w.workspace_id, w.kind, w.folded, %(id)s FROM wanted w ORDER BY w.folded
    ON CONFLICT (org_id, workspace_id, kind, folded) DO NOTHING
    RETURNING folded
)
SELECT w.folded FROM wanted w WHERE w.folded NOT IN (SELECT c.folded FROM claimed c) ORDER BY w.folded;

-- name: drop_names
DELETE FROM node_names a WHERE a.org_id = %(org_id)s AND a.node_id = %(id)s;

-- name: holder_of_name
SELECT a.node_id
  FROM node_names a
  JOIN nodes n ON n.org_id = a.org_id AND n.id = %(id)s
 WHERE a.org_id = %(org_id)s AND a.workspace_id = n.workspace_id AND a.kind = n.kind AND a.folded = %(folded)s;

-- name: read_node
-- The node of an id, or the one it was merged into.
SELECT n.id, n.name, n.kind, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
       items_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, n.id) AS items
  FROM nodes asked
  JOIN nodes n ON n.org_id = asked.org_id AND n.id = coalesce(asked.merged_into, asked.id)
 WHERE asked.org_id = %(org_id)s
   AND asked.id = %(id)s
   AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id);

-- name: read_nodes
SELECT n.id, n.name, n.kind, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
       items_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, n.id) AS items
  FROM unnest(%(ids)s::text[]) WITH ORDINALITY AS asked (id, place)
  JOIN nodes n ON n.org_id = %(org_id)s AND n.id = asked.id
 ORDER BY asked.place;

-- name: hold_nodes
-- Keeps nodes as they are until the transaction ends, in the order of their ids, so that two wait for each other instead
-- of forever. One that was merged away meanwhile is left out.
SELECT n.id
  FROM nodes n
 WHERE n.org_id = %(org_id)s AND n.id = ANY (%(ids)s) AND n.merged_into IS NULL
 ORDER BY n.id
   FOR NO KEY UPDATE;

-- name: list_nodes
SELECT n.id, n.name, n.kind, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
       items_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, n.id) AS items
  FROM nodes n
 WHERE n.org_id = %(org_id)s
   AND n.merged_into IS NULL
   AND n.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), n.workspace_id)
   AND (%(kind)s::text IS NULL OR n.kind = %(kind)s)
   AND (%(q)s::text IS NULL
        OR EXISTS (SELECT FROM node_names a
                    WHERE a.org_id = n.org_id AND a.node_id = n.id
                      AND position((SELECT folded(%(q)s)) IN a.folded) > 0))
   AND n.id < %(older_than)s
   AND n.id > %(newer_than)s
 ORDER BY n.id DESC
 LIMIT %(limit)s;

-- name: change_node
-- A field that is not given stays. Gives no row where If-Match fails.
UPDATE nodes n
   SET (name, kind, aliases, summary) =
       (SELECT f.name, f.kind, f.aliases, f.summary FROM jsonb_populate_record(n, %(fields)s) AS f),
       version = n.version + 1,
       updated_at = greatest(%(now)s, n.updated_at + interval '1 microsecond')
 WHERE n.org_id = %(org_id)s
   AND n.id = %(id)s
   AND (%(if_match)s::int[] IS NULL OR n.version = ANY (%(if_match)s))
RETURNING n.id, n.name, n.kind, n.aliases, n.summary, n.version, n.created_at, n.updated_at,
          items_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, n.id) AS items;

-- name: touch_nodes
-- What is said of a node is part of it.
UPDATE nodes n
   SET version = n.version + 1, updated_at = greatest(%(now)s, n.updated_at + interval '1 microsecond')
 WHERE n.org_id = %(org_id)s AND n.id = ANY (%(ids)s)
RETURNING n.id, n.version, n.name, n.kind, n.aliases, n.summary;

-- name: delete_node
-- With it go the ids that were merged into it. Gives no row where If-Match fails.
WITH gone AS (
    DELETE FROM nodes n
     WHERE n.org_id = %(org_id)s
       AND n.id = %(id)s
       AND (%(if_match)s::int[] IS NULL OR n.version = ANY (%(if_match)s))
    RETURNING n.id, n.version
), followers AS (
    DELETE FROM nodes n USING gone WHERE n.org_id = %(org_id)s AND n.merged_into = gone.id
)
SELECT version FROM gone;

-- name: count_items
SELECT count(*)::int FROM node_items i WHERE i.org_id = %(org_id)s AND i.node_id = %(node_id)s;

-- name: add_item
INSERT INTO node_items (org_id, id, node_id, content, source, memory_id, created_at)
VALUES (%(org_id)s, %(id)s, %(node_id)s, %(content)s, %(source)s, %(memory_id)s, %(now)s);

-- name: delete_item
-- Gives no row where the node has no such item for the caller.
DELETE FROM node_items i
 WHERE i.org_id = %(org_id)s
   AND i.node_id = %(node_id)s
   AND i.id = %(id)s
   AND sees_item(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(now)s, i.memory_id)
RETURNING i.id, i.content, i.source, i.memory_id, i.created_at;

-- name: drop_items_of
DELETE FROM node_items i
 WHERE i.org_id = %(org_id)s AND i.memory_id = ANY (%(memory_ids)s)
RETURNING i.id, i.node_id;
