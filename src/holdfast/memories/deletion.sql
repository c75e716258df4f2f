-- name: find_named
-- Those among the named that the caller sees: what a deletion by id is about.
SELECT m.id, m.scope
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND sees_here({by}, m.audience, m.workspace_id)
   AND matches(m.version, %(if_match)s)
 ORDER BY m.id DESC;

-- name: find_filtered
-- All that a list with this filter would show: what a deletion by filter is about.
SELECT f.id, f.scope
  FROM memories f
 WHERE f.org_id = %(org_id)s
   AND f.audience = ANY ((SELECT audiences({by}))::text[])
   AND in_workspace(%(by_workspace)s, f.workspace_id)
   AND {filters}
 ORDER BY f.id DESC;

-- name: delete_memories
-- Deletes the rows, with their assets' rows: what was deleted, with the version that its tombstone takes.
-- sight: the ids were found under it.
DELETE FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s)
RETURNING m.id, m.version + 1 AS version;

-- name: assets_of_memories
-- sight: the ids were found under it.
SELECT a.id FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = ANY (%(ids)s);

-- name: forget_proposals
-- Takes the words of proposals away that became these memories, or were to replace them; that they were made stays.
-- sight: the ids were found under it.
WITH gone AS (
    UPDATE proposals p
       SET content = '', before = NULL, value = '', reason = '', sources = '[]', related = NULL
     WHERE p.org_id = %(org_id)s AND (p.result ->> 'id' = ANY (%(ids)s) OR p.supersedes = ANY (%(ids)s))
    RETURNING p.id
), revised AS (
    UPDATE revisions r SET content = NULL, state = NULL, redacted_at = %(now)s
      FROM gone WHERE r.org_id = %(org_id)s AND r.kind = 'proposal' AND r.object_id = gone.id
)
DELETE FROM learned_facts f WHERE f.org_id = %(org_id)s AND f.object_id = ANY (%(ids)s);
