-- sight: every statement names the user, and the agent, that service.py let the caller act for.

-- name: read_block
SELECT id, block_type, CASE WHEN agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, agent_id, content, entries,
       length(content) AS characters, version, created_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = %(block_type)s
   AND deleted_at IS NULL;

-- name: hold_block
-- The same, and nobody changes it until the transaction is over.
SELECT id, block_type, CASE WHEN agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, agent_id, content, entries,
       length(content) AS characters, version, created_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = %(block_type)s
   AND deleted_at IS NULL
   FOR UPDATE;

-- name: list_blocks
-- The user's own, and those with agents of the active workspace.
SELECT b.id, b.block_type, CASE WHEN b.agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, b.agent_id, b.content,
       b.entries, length(b.content) AS characters, b.version, b.created_at, b.updated_at
  FROM blocks b
 WHERE b.org_id = %(org_id)s
   AND b.user_id = %(user_id)s
   AND b.deleted_at IS NULL
   AND CASE WHEN b.agent_id IS NULL THEN %(with_user)s
            ELSE EXISTS (SELECT FROM agents a
                          WHERE a.org_id = b.org_id AND a.id = b.agent_id AND a.workspace_id = %(workspace_id)s) END
 ORDER BY b.agent_id NULLS FIRST, b.block_type DESC;

-- name: blocks_at
-- The blocks of these places, the user's own first; an agent's must be of the active workspace.
SELECT b.id, b.block_type, CASE WHEN b.agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, b.agent_id, b.content,
       b.entries, length(b.content) AS characters, b.version, b.created_at, b.updated_at
  FROM blocks b
 WHERE b.org_id = %(org_id)s
   AND b.user_id = %(user_id)s
   AND b.place = ANY (%(places)s)
   AND b.block_type = ANY (%(block_types)s)
   AND b.deleted_at IS NULL
   AND (b.agent_id IS NULL
        OR %(workspace_id)s = (SELECT a.workspace_id FROM agents a WHERE a.org_id = b.org_id AND a.id = b.agent_id))
 ORDER BY b.agent_id NULLS FIRST, b.block_type DESC;

-- name: create_block
-- Gives no row where there is a block already. One that was deleted comes back under its id, with the next version.
INSERT INTO blocks AS b (org_id, id, user_id, agent_id, block_type, content, entries, came_at, created_at, updated_at)
SELECT %(org_id)s, %(id)s, %(user_id)s, %(agent_id)s, %(block_type)s, %(content)s, %(entries)s, %(came_at)s, %(now)s, %(now)s
 WHERE %(if_match)s::int[] IS NULL
ON CONFLICT (org_id, user_id, place, block_type) DO UPDATE
   SET content = excluded.content, entries = excluded.entries, came_at = excluded.came_at,
       version = b.version + 1, deleted_at = NULL,
       created_at = later(b.updated_at, excluded.updated_at),
       updated_at = later(b.updated_at, excluded.updated_at)
 WHERE b.deleted_at IS NOT NULL
RETURNING id, block_type, CASE WHEN agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, agent_id, content, entries,
          length(content) AS characters, version, created_at, updated_at;

-- name: replace_block
-- Gives no row where somebody wrote the block after the caller read it, or If-Match fails.
UPDATE blocks
   SET content = %(content)s, entries = %(entries)s, came_at = %(came_at)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = %(block_type)s
   AND deleted_at IS NULL
   AND updated_at = %(expected_updated_at)s
   AND matches(version, %(if_match)s)
RETURNING id, block_type, CASE WHEN agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, agent_id, content, entries,
          length(content) AS characters, version, created_at, updated_at;

-- name: delete_block
-- Gives no row where there is none, or a guard fails.
UPDATE blocks
   SET content = '', entries = 0, came_at = '{}', version = version + 1,
       updated_at = later(updated_at, %(now)s),
       deleted_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = %(block_type)s
   AND deleted_at IS NULL
   AND (%(expected_updated_at)s::timestamptz IS NULL OR updated_at = %(expected_updated_at)s)
   AND matches(version, %(if_match)s)
RETURNING id, block_type, CASE WHEN agent_id IS NULL THEN 'user' ELSE 'agent' END AS scope, agent_id, content, entries,
          length(content) AS characters, version, created_at, updated_at;

-- name: id_of_block
-- Of a deleted one too: its history outlives it.
SELECT id
  FROM blocks
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = %(block_type)s;

-- name: archive_before
-- The archive that a write or a deletion is about to take the place of.
SELECT id, user_id, agent_id, content, came_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = 'archival'
   AND deleted_at IS NULL;

-- name: hold_archive
-- The same, and nobody changes it until the transaction is over.
SELECT id, user_id, agent_id, content, came_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s
   AND user_id = %(user_id)s
   AND place = %(place)s
   AND block_type = 'archival'
   AND deleted_at IS NULL
   FOR UPDATE;

-- name: read_archives
-- The archives of these places, the user's own first; an agent's must be of the active workspace.
SELECT b.id, b.user_id, b.agent_id, b.content, b.came_at, b.updated_at
  FROM blocks b
 WHERE b.org_id = %(org_id)s
   AND b.user_id = %(user_id)s
   AND b.place = ANY (%(places)s)
   AND b.block_type = 'archival'
   AND b.deleted_at IS NULL
   AND (b.agent_id IS NULL
        OR %(workspace_id)s = (SELECT a.workspace_id FROM agents a WHERE a.org_id = b.org_id AND a.id = b.agent_id))
 ORDER BY b.agent_id NULLS FIRST;

-- name: archives_by_id
SELECT id, user_id, agent_id, content, came_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s AND id = ANY (%(ids)s) AND block_type = 'archival' AND deleted_at IS NULL;
