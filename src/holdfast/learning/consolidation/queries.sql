-- What memory holds for one owner, as consolidation and hygiene look at it.

-- name: memories_of
-- sight: the owner is the user or agent that the caller acts for; an agent's and a user's rows, not those of projects
SELECT DISTINCT ON (m.id)
       'memory' AS place, m.id, m.value AS content, m.version, m.created_at, coalesce(f.said_at, m.valid_from, m.created_at) AS said_at,
       m.pinned, m.expires_at, m.superseded_by IS NOT NULL AS is_superseded,
       m.superseded_by IS NOT NULL OR coalesce(m.valid_to, 'infinity') <= %(now)s AS is_over,
       m.source = 'auto' AS is_learned, m.sources <> '[]' AS has_source, m.category AS kind, m.trust,
       coalesce(f.subject, '') AS subject, coalesce(f.attribute, '') AS attribute, coalesce(f.value, '') AS value,
       p.related IS NOT NULL AS is_relation, g.given_at, NULL::text AS agent_id, m.key, m.scope, NULL::text AS node_id
  FROM memories m
  LEFT JOIN learned_facts f ON f.org_id = m.org_id AND f.object_id = m.id AND f.content = m.value AND f.ended_at IS NULL
  LEFT JOIN proposals p ON p.org_id = f.org_id AND p.id = f.id
  LEFT JOIN given_objects g ON g.org_id = m.org_id AND g.object_id = m.id
 WHERE m.org_id = %(org_id)s AND m.audience = %(audience)s
   AND CASE %(only)s::text WHEN 'expired' THEN m.expires_at <= %(now)s WHEN 'learned' THEN m.source = 'auto' ELSE true END
 ORDER BY m.id DESC, f.id DESC
 LIMIT %(limit)s;

-- name: entries_of
-- sight: entries of the user that the caller acts for, or of the agent that it is
SELECT DISTINCT ON (e.id)
       'entry' AS place, e.id, e.content, e.version, e.created_at, coalesce(f.said_at, e.updated_at) AS said_at,
       e.pinned, e.expires_at, false AS is_superseded, coalesce(e.expires_at, 'infinity') <= %(now)s AS is_over,
       f.id IS NOT NULL AS is_learned, p.sources IS NOT NULL AND p.sources <> '[]' AS has_source, coalesce(f.kind, 'fact') AS kind,
       coalesce(f.trust, 'user') AS trust, coalesce(f.subject, '') AS subject, coalesce(f.attribute, '') AS attribute,
       coalesce(f.value, '') AS value, false AS is_relation, g.given_at, e.agent_id, e.key, e.scope, NULL::text AS node_id
  FROM entries e
  LEFT JOIN learned_facts f ON f.org_id = e.org_id AND f.object_id = e.id AND f.content = e.content AND f.ended_at IS NULL
  LEFT JOIN proposals p ON p.org_id = f.org_id AND p.id = f.id
  LEFT JOIN given_objects g ON g.org_id = e.org_id AND g.object_id = e.id
 WHERE e.org_id = %(org_id)s AND e.run_id IS NULL
   AND CASE WHEN %(user_id)s::text IS NULL THEN e.user_id IS NULL AND e.category <> 'workspace' AND e.agent_id = %(agent_id)s
            ELSE e.user_id = %(user_id)s END
 ORDER BY e.id DESC, f.id DESC
 LIMIT %(limit)s;

-- name: items_of
-- sight: items of the nodes that are the owner's alone
SELECT DISTINCT ON (i.id)
       'node_item' AS place, i.id, i.content, NULL::int AS version, i.created_at, coalesce(f.said_at, i.created_at) AS said_at,
       false AS pinned, NULL::timestamptz AS expires_at, false AS is_superseded, false AS is_over,
       i.source = 'auto' AS is_learned, p.sources IS NOT NULL AND p.sources <> '[]' AS has_source,
       coalesce(f.kind, 'relation') AS kind, coalesce(f.trust, 'user') AS trust, coalesce(f.subject, '') AS subject,
       coalesce(f.attribute, '') AS attribute, coalesce(f.value, '') AS value, p.related IS NOT NULL AS is_relation, g.given_at,
       NULL::text AS agent_id, NULL::text AS key, NULL::text AS scope, i.node_id
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
  LEFT JOIN learned_facts f ON f.org_id = i.org_id AND f.object_id = i.id AND f.ended_at IS NULL
  LEFT JOIN proposals p ON p.org_id = f.org_id AND p.id = f.id
  LEFT JOIN given_objects g ON g.org_id = i.org_id AND g.object_id = i.id
 WHERE i.org_id = %(org_id)s AND n.audience = %(audience)s AND n.merged_into IS NULL
 ORDER BY i.id DESC, f.id DESC
 LIMIT %(limit)s;

-- name: count_memories
-- sight: as memories_of
SELECT count(*) FILTER (WHERE NOT r.is_over)::int AS rows, count(*) FILTER (WHERE r.is_superseded)::int AS superseded,
       count(*) FILTER (WHERE NOT r.is_over AND r.expires_at <= %(now)s)::int AS stale,
       count(*) FILTER (WHERE NOT r.is_over AND NOT r.is_given)::int AS never_recalled,
       count(*) FILTER (WHERE NOT r.is_over AND r.is_learned AND NOT r.has_source)::int AS without_source
  FROM (SELECT m.superseded_by IS NOT NULL OR coalesce(m.valid_to, 'infinity') <= %(now)s AS is_over,
               m.superseded_by IS NOT NULL AS is_superseded, m.expires_at, m.source = 'auto' AS is_learned,
               m.sources <> '[]' AS has_source, g.object_id IS NOT NULL AS is_given
          FROM memories m
          LEFT JOIN given_objects g ON g.org_id = m.org_id AND g.object_id = m.id
         WHERE m.org_id = %(org_id)s AND m.audience = %(audience)s) r;

-- name: count_entries
-- sight: as entries_of
SELECT count(*)::int AS rows, 0 AS superseded, 0 AS stale, count(*) FILTER (WHERE g.object_id IS NULL)::int AS never_recalled,
       count(*) FILTER (WHERE f.is_learned AND NOT f.has_source)::int AS without_source
  FROM entries e
  LEFT JOIN given_objects g ON g.org_id = e.org_id AND g.object_id = e.id
  LEFT JOIN LATERAL (
       SELECT true AS is_learned, p.sources IS NOT NULL AND p.sources <> '[]' AS has_source
         FROM learned_facts l LEFT JOIN proposals p ON p.org_id = l.org_id AND p.id = l.id
        WHERE l.org_id = %(org_id)s AND l.object_id = e.id AND l.content = e.content AND l.ended_at IS NULL
        ORDER BY l.id DESC LIMIT 1) f ON true
 WHERE e.org_id = %(org_id)s AND e.run_id IS NULL AND coalesce(e.expires_at, 'infinity') > %(now)s
   AND CASE WHEN %(user_id)s::text IS NULL THEN e.user_id IS NULL AND e.category <> 'workspace' AND e.agent_id = %(agent_id)s
            ELSE e.user_id = %(user_id)s END;

-- name: count_items
-- sight: as items_of
SELECT count(*)::int AS rows, 0 AS superseded, 0 AS stale, count(*) FILTER (WHERE g.object_id IS NULL)::int AS never_recalled,
       count(*) FILTER (WHERE i.source = 'auto' AND NOT coalesce(f.has_source, false))::int AS without_source
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
  LEFT JOIN given_objects g ON g.org_id = i.org_id AND g.object_id = i.id
  LEFT JOIN LATERAL (
       SELECT p.sources IS NOT NULL AND p.sources <> '[]' AS has_source
         FROM learned_facts l LEFT JOIN proposals p ON p.org_id = l.org_id AND p.id = l.id
        WHERE l.org_id = %(org_id)s AND l.object_id = i.id AND l.ended_at IS NULL
        ORDER BY l.id DESC LIMIT 1) f ON true
 WHERE i.org_id = %(org_id)s AND n.audience = %(audience)s AND n.merged_into IS NULL;

-- name: contents_of
-- sight: as memories_of, entries_of and items_of
SELECT m.id, m.value AS content
  FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s) AND m.audience = %(audience)s
   AND m.superseded_by IS NULL AND coalesce(m.valid_to, 'infinity') > %(now)s
 UNION ALL
SELECT e.id, e.content
  FROM entries e
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s) AND e.run_id IS NULL AND coalesce(e.expires_at, 'infinity') > %(now)s
   AND CASE WHEN %(user_id)s::text IS NULL THEN e.user_id IS NULL AND e.category <> 'workspace' AND e.agent_id = %(agent_id)s
            ELSE e.user_id = %(user_id)s END
 UNION ALL
SELECT i.id, i.content
  FROM node_items i
  JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
 WHERE i.org_id = %(org_id)s AND i.id = ANY (%(ids)s) AND n.audience = %(audience)s AND n.merged_into IS NULL;

-- name: quarantined_of
-- sight: the owner is the user or agent that the caller acts for
SELECT target, count(*)::int AS number
  FROM proposals
 WHERE org_id = %(org_id)s AND audience = %(audience)s AND status = 'quarantined'
 GROUP BY target;

-- name: blocks_given
-- sight: the blocks were read under the rule of their face
SELECT object_id FROM given_objects WHERE org_id = %(org_id)s AND object_id = ANY (%(ids)s);

-- name: owners_due
-- sight: the worker's own look at every org
SELECT org_id, user_id, agent_id, workspace_id FROM owners_to_consolidate(%(before)s);
