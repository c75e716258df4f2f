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

-- name: walk
-- The nodes around one, nearest first, by edges that hold at an instant. A node that is reached again at the same depth
-- is the same row, and UNION keeps it once: circles end there, and at the depth.
WITH RECURSIVE walk (id, depth) AS (
    SELECT %(id)s::text, 0
    UNION
    SELECT step.id, walk.depth + 1
      FROM walk
     CROSS JOIN LATERAL (
           SELECT e.to_id AS id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.from_id = walk.id AND %(outward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
            UNION ALL
           SELECT e.from_id
             FROM node_edges e
            WHERE e.org_id = %(org_id)s AND e.to_id = walk.id AND %(inward)s
              AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
              AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)) AS step
     WHERE walk.depth < %(depth)s
)
SELECT walk.id, min(walk.depth)::int AS depth
  FROM walk
 GROUP BY walk.id
 ORDER BY depth, walk.id
 LIMIT %(limit)s;

-- name: edges_walked
-- The edges by which a walk went from nodes it opened (`from_ids`) to nodes it found (`ids`).
SELECT e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at
  FROM node_edges e
 WHERE e.org_id = %(org_id)s
   AND ((%(outward)s AND e.from_id = ANY (%(from_ids)s) AND e.to_id = ANY (%(ids)s))
        OR (%(inward)s AND e.to_id = ANY (%(from_ids)s) AND e.from_id = ANY (%(ids)s)))
   AND (%(relation)s::text IS NULL OR e.relation = %(relation)s)
   AND (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
 ORDER BY e.id;

-- name: edges_around
-- Every edge that holds at an instant and has an end among these nodes: one step of a search for a path.
SELECT e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at
  FROM (SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.from_id = ANY (%(ids)s)
        UNION
        SELECT * FROM node_edges e WHERE e.org_id = %(org_id)s AND e.to_id = ANY (%(ids)s)) AS e
 WHERE (e.valid_from IS NULL OR e.valid_from <= %(at)s) AND (e.valid_to IS NULL OR e.valid_to > %(at)s)
 ORDER BY e.id;

-- --- merging ---------------------------------------------------------------------------------------------------------

-- name: one_merge_at_a_time
-- A merge touches nodes that it finds only on its way; those of one org go one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('merge nodes of ' || %(org_id)s, 0));

-- name: move_items
UPDATE node_items i SET node_id = %(into)s WHERE i.org_id = %(org_id)s AND i.node_id = %(id)s;

-- name: join_edges
-- Edges that will say the same once two nodes are one: the oldest of them is the one to stay, and holds whenever one of
-- them did.
WITH meant AS (
    SELECT e.*, CASE e.from_id WHEN %(id)s THEN %(into)s ELSE e.from_id END AS meant_from,
           CASE e.to_id WHEN %(id)s THEN %(into)s ELSE e.to_id END AS meant_to
      FROM node_edges e
     WHERE e.org_id = %(org_id)s
       AND (e.from_id IN (%(id)s, %(into)s) OR e.to_id IN (%(id)s, %(into)s))
), joined AS (
    SELECT min(m.id) AS id, max(m.weight) AS weight,
           CASE WHEN bool_or(m.valid_from IS NULL) THEN NULL ELSE min(m.valid_from) END AS valid_from,
           CASE WHEN bool_or(m.valid_to IS NULL) THEN NULL ELSE max(m.valid_to) END AS valid_to
      FROM meant m
     GROUP BY m.meant_from, m.meant_to, m.relation
    HAVING count(*) > 1
)
UPDATE node_edges e
   SET weight = j.weight, valid_from = j.valid_from, valid_to = j.valid_to, version = e.version + 1,
       updated_at = greatest(%(now)s, e.updated_at + interval '1 microsecond')
  FROM joined j
 WHERE e.org_id = %(org_id)s AND e.id = j.id
RETURNING e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at;

-- name: drop_joined_edges
-- The others of them go.
WITH meant AS (
    SELECT e.id, e.relation, CASE e.from_id WHEN %(id)s THEN %(into)s ELSE e.from_id END AS meant_from,
           CASE e.to_id WHEN %(id)s THEN %(into)s ELSE e.to_id END AS meant_to
      FROM node_edges e
     WHERE e.org_id = %(org_id)s
       AND (e.from_id IN (%(id)s, %(into)s) OR e.to_id IN (%(id)s, %(into)s))
)
DELETE FROM node_edges e
 USING meant m
 WHERE e.org_id = %(org_id)s AND e.id = m.id
   AND m.id NOT IN (SELECT min(g.id) FROM meant g GROUP BY g.meant_from, g.meant_to, g.relation)
RETURNING e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at;

-- name: move_edges
UPDATE node_edges e
   SET from_id = CASE e.from_id WHEN %(id)s THEN %(into)s ELSE e.from_id END,
       to_id = CASE e.to_id WHEN %(id)s THEN %(into)s ELSE e.to_id END,
       version = e.version + 1,
       updated_at = greatest(%(now)s, e.updated_at + interval '1 microsecond')
 WHERE e.org_id = %(org_id)s AND (e.from_id = %(id)s OR e.to_id = %(id)s)
RETURNING e.id, e.from_id, e.to_id, e.relation, e.weight, e.valid_from, e.valid_to, e.version, e.created_at, e.updated_at;

-- name: take_over
-- The survivor answers to both nodes' names, and keeps its own summary where it has one.
UPDATE nodes n
   SET aliases = ARRAY(
           SELECT a.alias
             FROM (SELECT DISTINCT ON (folded(w.alias)) w.alias, w.place
                     FROM unnest(n.aliases || old.name || old.aliases) WITH ORDINALITY AS w (alias, place)
                    WHERE folded(w.alias) <> folded(n.name)
                    ORDER BY folded(w.alias), w.place) AS a
            ORDER BY a.place),
       summary = coalesce(n.summary, old.summary),
       version = n.version + 1,
       updated_at = greatest(%(now)s, n.updated_at + interval '1 microsecond')
  FROM nodes old
 WHERE n.org_id = %(org_id)s AND n.id = %(into)s AND old.org_id = n.org_id AND old.id = %(id)s
RETURNING n.id;

-- name: mark_merged
-- The old id answers with the survivor from now on, and so do the ids that answered with it.
UPDATE nodes n
   SET merged_into = %(into)s, version = n.version + 1,
       updated_at = greatest(%(now)s, n.updated_at + interval '1 microsecond')
 WHERE n.org_id = %(org_id)s AND (n.id = %(id)s OR n.merged_into = %(id)s)
RETURNING n.id, n.version, n.name, n.kind, n.aliases, n.summary;
