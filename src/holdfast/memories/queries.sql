-- name: revise_memories
-- What memories became, in the one history: the row without its value as state, its value as content. The time is the
-- row's own, which strictly increases, so that as_of finds the versions in their order.
INSERT INTO revisions (
    org_id, id, kind, object_id, label, version, action, actor_type, actor_id, user_id, agent_id, session_id, request_id,
    created_at, state, content)
SELECT m.org_id, r.revision_id, 'memory', m.id, m.key, m.version, r.action, %(actor_type)s, %(actor_id)s, %(user_id)s,
       r.agent_id, r.session_id, %(request_id)s, m.updated_at,
       jsonb_strip_nulls(to_jsonb(m) - '{org_id,value,context,holds_key}'::text[]), m.value
  FROM unnest(%(ids)s::text[], %(revision_ids)s::text[], %(actions)s::text[], %(agent_ids)s::text[],
              %(session_ids)s::text[]) AS r (id, revision_id, action, agent_id, session_id)
  JOIN memories m ON m.org_id = %(org_id)s AND m.id = r.id;

-- name: read_memory
-- One memory that the caller may see.
SELECT m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
       m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
       m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s);

-- name: read_memory_as_of
-- One memory that the caller may see, as it stood at an instant.
SELECT f.id, f.key, r.content AS value, f.summary, f.category, f.tags, f.importance, f.pinned, f.expires_at, f.source,
       f.scope, f.user_id, f.project_id, f.agent_id, f.session_id, f.workspace_id, f.sources, f.valid_from, f.valid_to,
       f.superseded_by, f.version, f.created_at, f.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids
  FROM memories m
 CROSS JOIN LATERAL (
       SELECT r.state, r.content
         FROM revisions r
        WHERE r.org_id = m.org_id AND r.kind = 'memory' AND r.object_id = m.id AND r.created_at <= %(as_of)s
        ORDER BY r.version DESC
        LIMIT 1) AS r
 CROSS JOIN LATERAL jsonb_populate_record(NULL::memories, r.state) AS f
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR f.expires_at IS NULL OR f.expires_at > %(as_of)s);

-- name: list_memories
-- Walks the index of each context that the caller reads, newest first, no further than the page needs.
SELECT m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
       m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
       m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids
  FROM (
       SELECT m.*
         FROM unnest(memory_contexts(%(by_user)s, %(by_agent)s, %(by_project)s)) AS c (context)
        CROSS JOIN LATERAL (
              SELECT m.*
                FROM memories m
               WHERE m.org_id = %(org_id)s
                 AND m.context = c.context
                 AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
                 AND (%(scope)s::text IS NULL OR m.scope = %(scope)s)
                 AND (%(category)s::text IS NULL OR m.category = %(category)s)
                 AND (%(tag)s::text IS NULL OR %(tag)s = ANY (m.tags))
                 AND (%(source)s::text IS NULL OR m.source = %(source)s)
                 AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s)
                 AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
                 AND (%(session_id)s::text IS NULL OR m.session_id = %(session_id)s)
                 AND (%(pinned)s::boolean IS NULL OR m.pinned = %(pinned)s)
                 AND (%(min_importance)s::int IS NULL OR m.importance >= %(min_importance)s)
                 AND (%(include_expired)s OR coalesce(least(m.expires_at, m.valid_to), 'infinity') > %(now)s)
                 AND (%(include_superseded)s OR m.superseded_by IS NULL)
                 AND m.id < %(older_than)s
                 AND m.id > %(newer_than)s
               ORDER BY m.id DESC
               LIMIT %(limit)s) AS m
        ORDER BY m.id DESC
        LIMIT %(limit)s) AS m
 ORDER BY m.id DESC;

-- name: list_memories_as_of
-- As list_memories, with each row as its history says it stood at an instant. Whose it is never changes, so sight is
-- the row's own; what was erased has no history.
SELECT m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
       m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
       m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids
  FROM (
       SELECT m.*
         FROM unnest(memory_contexts(%(by_user)s, %(by_agent)s, %(by_project)s)) AS c (context)
        CROSS JOIN LATERAL (
              SELECT f.id, f.key, r.content AS value, f.summary, f.category, f.tags, f.importance, f.pinned, f.expires_at,
                     f.source, f.scope, f.user_id, f.project_id, f.agent_id, f.session_id, f.workspace_id, f.sources,
                     f.valid_from, f.valid_to, f.superseded_by, f.version, f.created_at, f.updated_at
                FROM memories m
                JOIN revisions r
                  ON r.org_id = m.org_id AND r.kind = 'memory' AND r.object_id = m.id
                 AND r.version = (SELECT max(v.version) FROM revisions v
                                   WHERE v.org_id = m.org_id AND v.kind = 'memory' AND v.object_id = m.id
                                     AND v.created_at <= %(as_of)s)
               CROSS JOIN LATERAL jsonb_populate_record(NULL::memories, r.state) AS f
               WHERE m.org_id = %(org_id)s
                 AND m.context = c.context
                 AND m.created_at <= %(as_of)s
                 AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
                 AND (%(scope)s::text IS NULL OR m.scope = %(scope)s)
                 AND (%(category)s::text IS NULL OR f.category = %(category)s)
                 AND (%(tag)s::text IS NULL OR %(tag)s = ANY (f.tags))
                 AND (%(source)s::text IS NULL OR f.source = %(source)s)
                 AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s)
                 AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
                 AND (%(session_id)s::text IS NULL OR m.session_id = %(session_id)s)
                 AND (%(pinned)s::boolean IS NULL OR f.pinned = %(pinned)s)
                 AND (%(min_importance)s::int IS NULL OR f.importance >= %(min_importance)s)
                 AND (%(include_expired)s OR coalesce(least(f.expires_at, f.valid_to), 'infinity') > %(as_of)s)
                 AND (%(include_superseded)s OR f.superseded_by IS NULL)
                 AND m.id < %(older_than)s
                 AND m.id > %(newer_than)s
               ORDER BY m.id DESC
               LIMIT %(limit)s) AS m
        ORDER BY m.id DESC
        LIMIT %(limit)s) AS m
 ORDER BY m.id DESC;

-- name: change_memory
-- Sets the fields that are given. Gives no row where the caller does not see it, or If-Match fails.
UPDATE memories m
   SET (key, value, summary, category, tags, importance, pinned, expires_at, source, valid_from, valid_to, superseded_by) =
       (SELECT f.key, f.value, f.summary, f.category, f.tags, f.importance, f.pinned, f.expires_at, f.source, f.valid_from,
               f.valid_to, f.superseded_by
          FROM jsonb_populate_record(m, %(fields)s) AS f),
       version = m.version + 1,
       updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
          m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
          m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids;

-- name: retire_memory
-- Ends the validity now; one that had not begun yet never begins. Gives no row where the caller does not see it, or If-Match fails.
UPDATE memories m
   SET valid_from = least(m.valid_from, %(now)s),
       valid_to = %(now)s,
       version = m.version + 1,
       updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
          m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
          m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids;

-- name: restore_memory
-- Makes an earlier version the newest. An expiry that has passed meanwhile is left out: a restored row is there again.
-- Gives no row where the caller does not see it, it never had that version, or If-Match fails.
UPDATE memories m
   SET (key, value, summary, category, tags, importance, pinned, expires_at, source, sources, valid_from, valid_to,
        superseded_by) =
       (SELECT f.key, r.content, f.summary, f.category, f.tags, f.importance, f.pinned,
               CASE WHEN f.expires_at > %(now)s THEN f.expires_at END, f.source, f.sources, f.valid_from, f.valid_to,
               f.superseded_by
          FROM jsonb_populate_record(NULL::memories, r.state) AS f),
       version = m.version + 1,
       updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
  FROM revisions r
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND r.org_id = m.org_id AND r.kind = 'memory' AND r.object_id = m.id AND r.version = %(version)s AND r.state IS NOT NULL
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
          m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
          m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids;

-- name: change_sources
-- Adds sources, or takes those of a kind and ref away. Gives no row where the caller does not see the memory, or
-- If-Match fails.
UPDATE memories m
   SET sources = CASE WHEN %(added)s::jsonb IS NULL THEN without_source(m.sources, %(kind)s, %(ref)s)
                      ELSE with_sources(m.sources, %(added)s) END,
       version = m.version + 1,
       updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope,
          m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to,
          m.superseded_by, m.version, m.created_at, m.updated_at, assets_of(m.id) AS assets, nodes_of(m.id) AS node_ids;

-- name: holder_of_key
-- The id of the row that holds the key another row was to take, where the caller may see it.
SELECT other.id
  FROM memories m
  JOIN memories other
    ON other.org_id = m.org_id AND other.context = m.context AND other.workspace_id = m.workspace_id AND other.holds_key
   AND other.key = %(key)s
 WHERE m.org_id = %(org_id)s AND m.id = %(id)s;
