-- sight: exports and imports are of everything that a person, an agent or the org has; service.py decides who may.

-- name: is_known_user
SELECT EXISTS (SELECT FROM users WHERE org_id = %(org_id)s AND id = %(user_id)s)
    OR EXISTS (SELECT FROM revisions WHERE org_id = %(org_id)s AND user_id = %(user_id)s);

-- name: is_known_agent
SELECT EXISTS (SELECT FROM agents WHERE org_id = %(org_id)s AND id = %(agent_id)s);

-- name: is_fresh
-- Nothing was written but what the making of the org writes.
SELECT NOT EXISTS (SELECT FROM revisions r
                    WHERE r.org_id = %(org_id)s AND r.kind NOT IN ('org', 'workspace', 'user', 'key'));

-- name: import_rows
-- changes keys, where the table is one of users, agents or workspaces
SELECT number, outcome FROM exchange_import(%(table)s, %(rows)s::jsonb, %(fresh)s);

-- name: clear_revisions
-- Before the history of objects whose imported version took the place of another: versions that both have are the imported ones.
DELETE FROM revisions r
 USING unnest(%(kinds)s::text[], %(ids)s::text[], %(versions)s::int[]) AS new (kind, id, version)
 WHERE r.org_id = %(org_id)s AND r.kind = new.kind AND r.object_id = new.id AND r.version = new.version;

-- name: count_quotas
INSERT INTO entry_quotas (org_id, audience, used)
SELECT %(org_id)s, e.quota, count(*) FROM entries e WHERE e.org_id = %(org_id)s GROUP BY e.quota
ON CONFLICT (org_id, audience) DO UPDATE SET used = excluded.used;

-- name: archives
-- Archival blocks, whose lines are indexed.
SELECT id, user_id, agent_id, content, came_at, updated_at
  FROM blocks
 WHERE org_id = %(org_id)s AND block_type = 'archival' AND deleted_at IS NULL AND id = ANY (%(ids)s);

