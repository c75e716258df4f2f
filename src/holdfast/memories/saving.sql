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
