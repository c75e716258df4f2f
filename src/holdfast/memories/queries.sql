-- name: read_memory
-- One memory that the caller sees.
SELECT {memory_row}
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = %(id)s
   AND sees_here({by}, m.audience, m.workspace_id)
   AND {not_expired};

-- name: read_memory_as_of
-- One memory that the caller sees, as it stood at an instant.
SELECT {memory_row}
  FROM memories present
 CROSS JOIN LATERAL (
       SELECT r.state, r.content
         FROM revisions r
        WHERE r.org_id = %(org_id)s AND r.kind = 'memory' AND r.object_id = present.id AND r.created_at <= %(as_of)s
        ORDER BY r.version DESC
        LIMIT 1) AS r
 CROSS JOIN LATERAL jsonb_populate_record(NULL::memories, r.state || jsonb_build_object('value', r.content)) AS m
 WHERE present.org_id = %(org_id)s
   AND present.id = %(id)s
   AND sees_here({by}, present.audience, present.workspace_id)
   AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(as_of)s);

-- name: list_memories
-- Walks the index of each audience that the caller belongs to, newest first, no further than the page needs.
SELECT {memory_row}
  FROM (
       SELECT f.*
         FROM unnest(audiences({by})) AS a (audience)
        CROSS JOIN LATERAL (
              SELECT f.*
                FROM memories f
               WHERE f.org_id = %(org_id)s
                 AND f.audience = a.audience
                 AND in_workspace(%(by_workspace)s, f.workspace_id)
                 AND {filters}
                 -- As rows, which only the index of audiences serves: by the primary key, an audience without a memory is
                 -- looked for among all memories of the org.
                 AND (f.audience, f.id) < (a.audience, %(older_than)s)
                 AND (f.audience, f.id) > (a.audience, %(newer_than)s)
               ORDER BY f.id DESC
               LIMIT %(limit)s) AS f
        ORDER BY f.id DESC
        LIMIT %(limit)s) AS m
 ORDER BY m.id DESC;

-- name: list_memories_as_of
-- As list_memories, with each row as its history says it stood at an instant. Its audience never changes, so sight is the
-- present row's; what was erased has no history.
SELECT {memory_row}
  FROM (
       SELECT f.*
         FROM unnest(audiences({by})) AS a (audience)
        CROSS JOIN LATERAL (
              SELECT f.*
                FROM memories present
                JOIN revisions r
                  ON r.org_id = %(org_id)s AND r.kind = 'memory' AND r.object_id = present.id
                 AND r.version = (SELECT max(v.version) FROM revisions v
                                   WHERE v.org_id = %(org_id)s AND v.kind = 'memory' AND v.object_id = present.id
                                     AND v.created_at <= %(as_of)s)
               CROSS JOIN LATERAL jsonb_populate_record(
                     NULL::memories, r.state || jsonb_build_object('value', r.content)) AS f
               WHERE present.org_id = %(org_id)s
                 AND present.audience = a.audience
                 AND present.created_at <= %(as_of)s
                 AND in_workspace(%(by_workspace)s, present.workspace_id)
                 AND {filters}
                 AND present.id < %(older_than)s
                 AND present.id > %(newer_than)s
               ORDER BY present.id DESC
               LIMIT %(limit)s) AS f
        ORDER BY f.id DESC
        LIMIT %(limit)s) AS m
 ORDER BY m.id DESC;

-- name: change_memory
-- Sets the fields that are given. Gives no row where the caller does not see it, or If-Match fails.
UPDATE memories m
   SET (key, value, {settable}) = (SELECT key, value, {settable} FROM jsonb_populate_record(m, %(fields)s)),
       {next_version}
 WHERE {changed_row}
   AND sees_here({by}, m.audience, m.workspace_id)
RETURNING {memory_row};

-- name: retire_memory
-- Ends the validity now; one that had not begun yet never begins. Gives no row where the caller does not see it, or
-- If-Match fails.
UPDATE memories m
   SET valid_from = least(m.valid_from, %(now)s),
       valid_to = %(now)s,
       {next_version}
 WHERE {changed_row}
   AND sees_here({by}, m.audience, m.workspace_id)
RETURNING {memory_row};

-- name: restore_memory
-- Makes an earlier version the newest. With `revive` an expiry that has passed meanwhile is left out: a restored row is there again.
-- Gives no row where the caller does not see it, it never had that version, or If-Match fails.
UPDATE memories m
   SET (key, value, sources, {settable}) = (
           SELECT key, r.content, sources, {settable}
             FROM jsonb_populate_record(NULL::memories, CASE WHEN %(revive)s AND (r.state->>'expires_at')::timestamptz <= %(now)s
                                                             THEN r.state - 'expires_at' ELSE r.state END)),
       {next_version}
  FROM revisions r
 WHERE {changed_row}
   AND r.org_id = m.org_id AND r.kind = 'memory' AND r.object_id = m.id AND r.version = %(version)s AND r.state IS NOT NULL
   AND sees_here({by}, m.audience, m.workspace_id)
RETURNING {memory_row};

-- name: change_sources
-- Adds sources, or takes those of a kind and ref away. Gives no row where the caller does not see the memory, or
-- If-Match fails.
UPDATE memories m
   SET sources = CASE WHEN %(added)s::jsonb IS NULL THEN without_source(m.sources, %(kind)s, %(ref)s)
                      ELSE with_sources(m.sources, %(added)s) END,
       {next_version}
 WHERE {changed_row}
   AND sees_here({by}, m.audience, m.workspace_id)
RETURNING {memory_row};

-- name: touch_memory
-- Counts a change of what is attached to a memory as a change of the memory. Gives no row where the caller does not see it.
UPDATE memories m
   SET {next_version}
 WHERE {changed_row}
   AND sees_here({by}, m.audience, m.workspace_id)
RETURNING {memory_row};

-- name: leads_to
-- Whether the successors of one memory, one after the other, lead to another.
-- sight: the caller sees both ends, and of what is between only ids are followed.
WITH RECURSIVE successors (id) AS (
    SELECT %(first)s::text
    UNION
    SELECT m.superseded_by
      FROM successors s
      JOIN memories m ON m.org_id = %(org_id)s AND m.id = s.id
     WHERE m.superseded_by IS NOT NULL
)
SELECT EXISTS (SELECT FROM successors s WHERE s.id = %(last)s);

-- name: holder_of_key
-- The id of the row that holds the key another row was to take.
-- sight: both have one audience and workspace, and the caller sees the one that it names.
SELECT other.id
  FROM memories m
  JOIN memories other
    ON other.org_id = m.org_id AND other.audience = m.audience AND other.workspace_id = m.workspace_id AND other.holds_key
   AND other.key = %(key)s
 WHERE m.org_id = %(org_id)s AND m.id = %(id)s;
