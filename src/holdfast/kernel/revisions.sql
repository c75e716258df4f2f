-- sight: a face reads the object under its own rule first, and hands over its id.

-- fragment: revision
id, kind, object_id, parent_id, label, version, action, actor_type, actor_id, user_id, agent_id, session_id,
       request_id, created_at, state, content, redacted_at

-- name: history
-- A cursor is the id of a revision and stands for its version: versions order the changes of an object, whichever
-- process made the ids. Empty where the cursor is no revision of the object.
SELECT {revision}
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s
   AND (NOT %(with_state)s OR state IS NOT NULL)
   AND (%(older_than)s = '~' OR version < (
        SELECT c.version FROM revisions c
         WHERE c.org_id = %(org_id)s AND c.kind = %(kind)s AND c.object_id = %(object_id)s AND c.id = %(older_than)s))
   AND (%(newer_than)s = '' OR version > (
        SELECT c.version FROM revisions c
         WHERE c.org_id = %(org_id)s AND c.kind = %(kind)s AND c.object_id = %(object_id)s AND c.id = %(newer_than)s))
 ORDER BY version DESC
 LIMIT %(limit)s;

-- name: version_of
SELECT version
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s AND id = %(id)s;

-- name: at_version
SELECT {revision}
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s AND version = %(version)s;

-- name: as_of
SELECT {revision}
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s AND created_at <= %(at)s
 ORDER BY version DESC
 LIMIT 1;

-- name: latest_version
SELECT version
  FROM revisions
 WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s
 ORDER BY version DESC
 LIMIT 1;

-- name: redact
-- Gives no row where it is redacted already.
UPDATE revisions
   SET content = NULL, state = state - 'metadata', redacted_at = %(now)s, redacted_by = %(by)s
 WHERE org_id = %(org_id)s AND id = %(id)s AND redacted_at IS NULL
RETURNING {revision};

-- name: erase
-- `with_parts`: also of what hung on these objects, however long ago it went.
UPDATE revisions
   SET content = NULL, state = NULL, label = NULL, redacted_at = %(now)s
 WHERE org_id = %(org_id)s
   AND ((kind = %(kind)s AND object_id = ANY (%(object_ids)s)) OR (%(with_parts)s AND parent_id = ANY (%(object_ids)s)));

-- name: write
-- RETURNING: without it Citus would COPY the rows, which row-level security refuses.
-- sight: the objects were changed under the rule of their face.
INSERT INTO revisions ({written_revision})
SELECT %(org_id)s, c.id, %(kind)s, c.object_id, NULL, c.label, c.version, c.action, %(actor_type)s, %(actor_id)s,
       %(user_id)s, c.agent_id, c.session_id, %(request_id)s, coalesce(c.at, %(now)s), c.state, c.content
  FROM jsonb_to_recordset(%(changes)s) AS c (
           id text, object_id text, label text, version int, action text, agent_id text, session_id text, at timestamptz,
           state jsonb, content text)
RETURNING id;
