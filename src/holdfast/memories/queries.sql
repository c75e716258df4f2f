-- name: make_memory
-- The row of a key that nobody holds, the common case, with its revision; no row where somebody does: save_memories says
-- what becomes of it.
WITH made AS (
    INSERT INTO memories AS m (
        org_id, id, key, value, summary, category, tags, importance, pinned, expires_at, source, scope, user_id,
        project_id, agent_id, session_id, workspace_id, sources, valid_from, valid_to, superseded_by, created_at, updated_at)
    VALUES (%(org_id)s, %(id)s, %(key)s, %(value)s, %(summary)s, %(category)s, %(tags)s, %(importance)s, %(pinned)s,
            %(expires_at)s, %(source)s, %(scope)s, %(user_id)s, %(project_id)s, %(agent_id)s, %(session_id)s,
            %(workspace_id)s, with_sources('[]', %(sources)s), %(valid_from)s, %(valid_to)s, NULL, %(now)s, %(now)s)
    ON CONFLICT (org_id, context, workspace_id, key) WHERE holds_key DO NOTHING
    RETURNING m.*
), revised AS (
    INSERT INTO revisions (
        org_id, id, kind, object_id, label, version, action, actor_type, actor_id, user_id, agent_id, session_id,
        request_id, created_at, state, content)
    SELECT m.org_id, %(revision_id)s, 'memory', m.id, m.key, m.version, 'created', %(actor_type)s, %(actor_id)s,
           %(user_id)s, m.agent_id, m.session_id, %(request_id)s, m.updated_at,
           jsonb_strip_nulls(to_jsonb(m) - '{org_id,value,context,holds_key}'::text[]), m.value
      FROM made m
)
SELECT 0 AS place, true AS created, '[]'::jsonb AS assets, '{}'::text[] AS node_ids, m.id, m.key, m.value, m.summary,
       m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope, m.user_id, m.project_id, m.agent_id,
       m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to, m.superseded_by, m.version, m.created_at,
       m.updated_at
  FROM made m;

-- name: save_memories
-- Saves each item under its key: updates the row that holds the key, or makes one that holds it from now on. A row that
-- is expired, superseded or no longer valid does not hold its key any more, nor does one that a forced new row succeeds.
-- Gives no row for an item where another transaction made the row meanwhile (ask again: it is there now), or where
-- If-Match fails. No two items may have one key and context.
WITH item AS (
    SELECT i.*
      FROM jsonb_to_recordset(%(items)s) AS i (
               place int, id text, fields jsonb, sources jsonb, key text, forced boolean, scope text, context text,
               user_id text, project_id text, agent_id text, session_id text, workspace_id text)
), retired AS (
    UPDATE memories m
       SET holds_key = false
      FROM item i
     WHERE m.org_id = %(org_id)s AND m.context = i.context AND m.workspace_id = i.workspace_id AND m.key = i.key
       AND m.holds_key
       AND %(if_match)s::int[] IS NULL
       AND (i.forced OR m.expires_at <= %(now)s OR m.valid_to <= %(now)s OR m.superseded_by IS NOT NULL)
    RETURNING m.id
), updated AS (
    UPDATE memories m
       SET (value, summary, category, tags, importance, pinned, expires_at, source, valid_from, valid_to, superseded_by) =
           (SELECT f.value, f.summary, f.category, f.tags, f.importance, f.pinned, f.expires_at, f.source, f.valid_from,
                   f.valid_to, f.superseded_by
              FROM jsonb_populate_record(m, i.fields) AS f),
           sources = with_sources(m.sources, i.sources),
           version = m.version + 1,
           updated_at = greatest(%(now)s, m.updated_at + interval '1 microsecond')
      FROM item i
     WHERE m.org_id = %(org_id)s AND m.context = i.context AND m.workspace_id = i.workspace_id AND m.key = i.key
       AND m.holds_key
       AND NOT i.forced
       AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
       AND (m.valid_to IS NULL OR m.valid_to > %(now)s)
       AND m.superseded_by IS NULL
       AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
    RETURNING i.place, m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source,
              m.scope, m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from,
              m.valid_to, m.superseded_by, m.version, m.created_at, m.updated_at
), made AS (
    INSERT INTO memories AS m (
        org_id, id, key, value, summary, category, tags, importance, pinned, expires_at, source, scope, user_id,
        project_id, agent_id, session_id, workspace_id, sources, valid_from, valid_to, superseded_by, created_at, updated_at)
    SELECT %(org_id)s, i.id, i.key, f.value, f.summary, coalesce(f.category, 'fact'), coalesce(f.tags, '{}'),
           coalesce(f.importance, 5), coalesce(f.pinned, false), f.expires_at, coalesce(f.source, 'manual'), i.scope,
           i.user_id, i.project_id, i.agent_id, i.session_id, i.workspace_id, with_sources('[]', i.sources), f.valid_from,
           f.valid_to, f.superseded_by, %(now)s, %(now)s
      FROM item i, jsonb_populate_record(NULL::memories, i.fields) AS f
     WHERE i.place NOT IN (SELECT place FROM updated)
       AND (SELECT count(*) FROM retired) >= 0  -- after those that gave their key up
       AND %(if_match)s::int[] IS NULL
     ORDER BY i.context, i.workspace_id, i.key
    ON CONFLICT (org_id, context, workspace_id, key) WHERE holds_key DO NOTHING
    RETURNING m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source,
              m.scope, m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from,
              m.valid_to, m.superseded_by, m.version, m.created_at, m.updated_at
)
SELECT place, false AS created, assets_of(id) AS assets, nodes_of(id) AS node_ids, id, key, value, summary, category, tags,
       importance, pinned, expires_at, source, scope, user_id, project_id, agent_id, session_id, workspace_id, sources,
       valid_from, valid_to, superseded_by, version, created_at, updated_at
  FROM updated
UNION ALL
SELECT i.place, true, '[]', '{}', m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at,
       m.source, m.scope, m.user_id, m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from,
       m.valid_to, m.superseded_by, m.version, m.created_at, m.updated_at
  FROM made m JOIN item i ON i.id = m.id;

-- name: lock_keys
-- Takes the rows that several items are about in one order, so that two batches wait for each other instead of forever.
SELECT m.id
  FROM memories m
  JOIN jsonb_to_recordset(%(items)s) AS i (context text, workspace_id text, key text)
    ON m.context = i.context AND m.workspace_id = i.workspace_id AND m.key = i.key
 WHERE m.org_id = %(org_id)s AND m.holds_key
 ORDER BY m.context, m.workspace_id, m.key
   FOR UPDATE OF m;

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
                 AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
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
                 AND (%(include_expired)s OR f.expires_at IS NULL OR f.expires_at > %(as_of)s)
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

-- name: find_named
-- The ids among those named that the caller may see: what a deletion by id is about.
SELECT m.id
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND sees_memory(%(by_user)s, %(by_agent)s, %(by_project)s, m.context)
   AND m.workspace_id = coalesce((SELECT active_workspace(%(by_workspace)s)), m.workspace_id)
   AND (%(if_match)s::int[] IS NULL OR m.version = ANY (%(if_match)s))
 ORDER BY m.id DESC;

-- name: find_filtered
-- The ids of all that a list with this filter would show: what a deletion by filter is about.
SELECT m.id
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.context = ANY ((SELECT memory_contexts(%(by_user)s, %(by_agent)s, %(by_project)s))::text[])
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
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (%(include_superseded)s OR m.superseded_by IS NULL)
 ORDER BY m.id DESC;

-- name: delete_memories
-- The rows go, with their assets' rows; gives what was deleted, with the version its tombstone takes.
DELETE FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s)
RETURNING m.id, m.version + 1 AS version;

-- name: erase_revisions
-- The contents of what memories were, and of what hung on them (assets, derived node items, also those that went
-- before); that they were, and who changed them, stays.
UPDATE revisions r
   SET content = NULL, state = NULL, label = NULL, redacted_at = %(now)s
 WHERE r.org_id = %(org_id)s
   AND ((r.kind = 'memory' AND r.object_id = ANY (%(ids)s)) OR r.parent_id = ANY (%(ids)s));

-- name: assets_of_memories
SELECT a.id FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = ANY (%(ids)s);

-- name: bury_memories
-- A tombstone for each: that it was deleted, when and by whom.
INSERT INTO revisions (
    org_id, id, kind, object_id, version, action, actor_type, actor_id, user_id, agent_id, session_id, request_id,
    created_at, redacted_at)
SELECT %(org_id)s, t.revision_id, 'memory', t.id, t.version, 'deleted', %(actor_type)s, %(actor_id)s, %(user_id)s,
       NULL, NULL, %(request_id)s, %(now)s, %(now)s
  FROM unnest(%(ids)s::text[], %(revision_ids)s::text[], %(versions)s::int[]) AS t (id, revision_id, version);
