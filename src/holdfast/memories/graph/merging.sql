-- name: one_merge_at_a_time
-- A merge touches nodes that it finds only on its way; those of one org go one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('merge nodes of ' || %(org_id)s, 0));

-- name: move_items
-- sight: both nodes were read under it.
UPDATE node_items i SET node_id = %(into)s WHERE i.org_id = %(org_id)s AND i.node_id = %(id)s;

-- name: join_edges
-- Edges that will say the same once two nodes are one: the oldest of them is the one to stay, and holds whenever one of
-- them did.
-- sight: both nodes were read under it.
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
       updated_at = later(e.updated_at, %(now)s)
  FROM joined j
 WHERE e.org_id = %(org_id)s AND e.id = j.id
RETURNING {edge_columns};

-- name: drop_joined_edges
-- The others of them go.
-- sight: both nodes were read under it.
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
RETURNING {edge_columns};

-- name: move_edges
-- sight: both nodes were read under it.
UPDATE node_edges e
   SET from_id = CASE e.from_id WHEN %(id)s THEN %(into)s ELSE e.from_id END,
       to_id = CASE e.to_id WHEN %(id)s THEN %(into)s ELSE e.to_id END,
       version = e.version + 1,
       updated_at = later(e.updated_at, %(now)s)
 WHERE e.org_id = %(org_id)s AND (e.from_id = %(id)s OR e.to_id = %(id)s)
RETURNING {edge_columns};

-- name: take_over
-- The survivor answers to both nodes' names, and keeps its own summary where it has one.
-- sight: both nodes were read under it.
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
       updated_at = later(n.updated_at, %(now)s)
  FROM nodes old
 WHERE n.org_id = %(org_id)s AND n.id = %(into)s AND old.org_id = n.org_id AND old.id = %(id)s
RETURNING n.id;

-- name: mark_merged
-- The old id answers with the survivor from now on, and so do the ids that answered with it.
-- sight: both nodes were read under it.
UPDATE nodes n
   SET merged_into = %(into)s, version = n.version + 1,
       updated_at = later(n.updated_at, %(now)s)
 WHERE n.org_id = %(org_id)s AND (n.id = %(id)s OR n.merged_into = %(id)s)
RETURNING {node_state};
