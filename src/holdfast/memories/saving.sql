-- fragment: new_row
org_id, id, key, value, scope, user_id, project_id, agent_id, session_id, workspace_id, sources, created_at, updated_at,
        {settable}

-- name: make_memory
-- The row of a key that nobody holds, the common case, with its revision. Gives no row where the key is held: then
-- save_memories decides.
-- sight: makes a row for the names that the caller carries.
WITH made AS (
    INSERT INTO memories AS m ({new_row})
    VALUES (%(org_id)s, %(id)s, %(key)s, %(value)s, %(scope)s, %(user_id)s, %(project_id)s, %(agent_id)s, %(session_id)s,
            %(workspace_id)s, with_sources('[]', %(sources)s), %(now)s, %(now)s, %(summary)s, %(category)s, %(tags)s,
            %(importance)s, %(pinned)s, %(expires_at)s, %(source)s, %(valid_from)s, %(valid_to)s, NULL, %(trust)s)
    ON CONFLICT (org_id, audience, workspace_id, key) WHERE holds_key DO NOTHING
    RETURNING m.*
), revised AS (
    -- Here instead of by kernel/revisions.py, since whether a row is made is known only here: the passage that is sent
    -- behind this statement is put if it finds this revision. RETURNING: without it Citus would COPY the row, which row-level
    -- security refuses.
    INSERT INTO revisions ({written_revision})
    SELECT m.org_id, %(revision_id)s, 'memory', m.id, NULL, m.key, m.version, 'created', %(actor_type)s, %(actor_id)s,
           %(user_id)s, m.agent_id, m.session_id, %(request_id)s, m.updated_at,
           jsonb_strip_nulls(to_jsonb(m) - '{org_id,value,audience,holds_key}'::text[]), m.value
      FROM made m
    RETURNING id
)
SELECT 0 AS place, true AS created, '[]'::jsonb AS assets, '{}'::text[] AS node_ids, {memory_columns}
  FROM made m;

-- name: save_memories
-- Saves each item under its key: updates the row that holds the key, or makes one that holds it from now on. A row that
-- is expired, superseded or no longer valid does not hold its key any more, nor does one that a forced new row succeeds.
-- Gives no row for an item where another transaction made the row meanwhile (ask again: it is there now), or where
-- If-Match fails. No two items may have one key and audience.
-- sight: the audience of each item is made of names that the caller carries.
WITH item AS (
    SELECT i.*
      FROM jsonb_to_recordset(%(items)s) AS i (
               place int, id text, fields jsonb, sources jsonb, key text, forced boolean, scope text, audience text,
               user_id text, project_id text, agent_id text, session_id text, workspace_id text)
), retired AS (
    UPDATE memories m
       SET holds_key = false
      FROM item i
     WHERE m.org_id = %(org_id)s AND m.audience = i.audience AND m.workspace_id = i.workspace_id AND m.key = i.key
       AND m.holds_key
       AND %(if_match)s::int[] IS NULL
       AND (i.forced OR m.expires_at <= %(now)s OR m.valid_to <= %(now)s OR m.superseded_by IS NOT NULL)
    RETURNING m.id
), updated AS (
    UPDATE memories m
       SET (value, {settable}) = (SELECT value, {settable} FROM jsonb_populate_record(m, i.fields)),
           sources = with_sources(m.sources, i.sources),
           version = m.version + 1,
           updated_at = later(m.updated_at, %(now)s)
      FROM item i
     WHERE m.org_id = %(org_id)s AND m.audience = i.audience AND m.workspace_id = i.workspace_id AND m.key = i.key
       AND m.holds_key
       AND NOT i.forced
       AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
       AND (m.valid_to IS NULL OR m.valid_to > %(now)s)
       AND m.superseded_by IS NULL
       AND matches(m.version, %(if_match)s)
    RETURNING i.place, m.*
), made AS (
    INSERT INTO memories AS m ({new_row})
    SELECT %(org_id)s, i.id, i.key, f.value, i.scope, i.user_id, i.project_id, i.agent_id, i.session_id, i.workspace_id,
           with_sources('[]', i.sources), %(now)s, %(now)s, f.summary, coalesce(f.category, 'fact'),
           coalesce(f.tags, '{}'), coalesce(f.importance, 5), coalesce(f.pinned, false), f.expires_at,
           coalesce(f.source, 'manual'), f.valid_from, f.valid_to, f.superseded_by,
           coalesce(f.trust, 'user')
      FROM item i, jsonb_populate_record(NULL::memories, i.fields) AS f
     WHERE i.place NOT IN (SELECT place FROM updated)
       AND (SELECT count(*) FROM retired) >= 0  -- after those that gave their key up
       AND %(if_match)s::int[] IS NULL
     ORDER BY i.audience, i.workspace_id, i.key
    ON CONFLICT (org_id, audience, workspace_id, key) WHERE holds_key DO NOTHING
    RETURNING m.*
)
SELECT m.place, false AS created, {memory_row}
  FROM updated m
UNION ALL
SELECT i.place, true, {memory_columns}, '[]', '{}'
  FROM made m JOIN item i ON i.id = m.id;

-- name: lock_keys
-- Takes the rows that several items are about in one order, so that two batches wait for each other instead of forever.
-- sight: the audience of each item is made of names that the caller carries.
SELECT m.id
  FROM memories m
  JOIN jsonb_to_recordset(%(items)s) AS i (audience text, workspace_id text, key text)
    ON m.audience = i.audience AND m.workspace_id = i.workspace_id AND m.key = i.key
 WHERE m.org_id = %(org_id)s AND m.holds_key
 ORDER BY m.audience, m.workspace_id, m.key
   FOR UPDATE OF m;
