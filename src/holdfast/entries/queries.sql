-- name: lock_owner
-- Gives no row for an owner that never had an entry.
SELECT used FROM entry_owners WHERE org_id = %(org_id)s AND owner = %(owner)s FOR UPDATE;

-- name: make_owner
INSERT INTO entry_owners (org_id, owner) VALUES (%(org_id)s, %(owner)s) ON CONFLICT (org_id, owner) DO NOTHING;

-- name: keep_count
UPDATE entry_owners SET used = %(used)s WHERE org_id = %(org_id)s AND owner = %(owner)s;

-- name: on_shelf
-- What an owner holds under these keys (all of them: NULL), of no run and of one; the expired too, for the writer to clear.
SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at, updated_at
  FROM entries
 WHERE org_id = %(org_id)s
   AND owner = %(owner)s
   AND (%(keys)s::text[] IS NULL OR key = ANY (%(keys)s))
   AND (run_id IS NULL OR run_id = %(run_id)s::text);

-- name: past_lives
-- The last revision under each key in each place: an entry stored again keeps its id and goes on counting.
SELECT place.name AS place, key.name AS key, last.id, last.version
  FROM unnest(%(places)s::text[]) AS place(name)
 CROSS JOIN unnest(%(keys)s::text[]) AS key(name)
 CROSS JOIN LATERAL (
       SELECT r.object_id AS id, r.version
         FROM revisions r
        WHERE r.org_id = %(org_id)s AND r.kind = 'entry' AND r.parent_id = place.name AND r.label = key.name
        ORDER BY r.version DESC
        LIMIT 1) AS last;

-- name: put_entry
-- The writer holds the owner's lock and has compared versions; this only writes down what it decided.
INSERT INTO entries (
    org_id, id, owner, run_id, key, category, content, tags, size, agent_id, workspace_id, version, expires_at,
    created_at, updated_at
)
VALUES (
    %(org_id)s, %(id)s, %(owner)s, %(run_id)s, %(key)s, %(category)s, %(content)s, %(tags)s, %(size)s, %(agent_id)s,
    %(workspace_id)s, %(version)s, %(expires_at)s, %(created_at)s, %(updated_at)s
)
ON CONFLICT (org_id, id) DO UPDATE
   SET category = excluded.category, content = excluded.content, tags = excluded.tags, size = excluded.size,
       agent_id = excluded.agent_id, version = excluded.version, expires_at = excluded.expires_at,
       updated_at = excluded.updated_at;

-- name: make_room
-- Removes what is dead (expired, or of a run that idled too long); where that frees too few places, the coldest: never a
-- core entry while another remains, and none at all for a write that is not core.
WITH dead AS MATERIALIZED (
    SELECT e.id, 'expired' AS cause
      FROM entries e
     WHERE e.org_id = %(org_id)s AND e.owner = %(owner)s AND e.expires_at <= %(now)s
    UNION ALL
    SELECT e.id, 'run_ended'
      FROM runs r
      JOIN entries e ON e.org_id = r.org_id AND e.run_id = r.id
     WHERE r.org_id = %(org_id)s AND r.agent_id = %(agent_id)s::text AND r.ended_at IS NULL
       AND r.last_activity_at <= %(idle_since)s
), coldest AS MATERIALIZED (
    SELECT e.id, 'evicted' AS cause
      FROM entries e
     WHERE e.org_id = %(org_id)s AND e.owner = %(owner)s AND e.pinned <= %(evict_core)s
       AND NOT EXISTS (SELECT FROM dead WHERE dead.id = e.id)
     ORDER BY e.pinned, e.updated_at, e.id
     LIMIT greatest(0, %(needed)s - (SELECT count(*) FROM dead))
)
DELETE FROM entries e
 USING (SELECT * FROM dead UNION ALL SELECT * FROM coldest) AS gone
 WHERE e.org_id = %(org_id)s AND e.id = gone.id
RETURNING e.id, e.run_id, e.key, e.version, gone.cause;

-- name: take_away
DELETE FROM entries e WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s);

-- name: expired_of_owner
SELECT id, run_id, key, version, 'expired' AS cause
  FROM entries
 WHERE org_id = %(org_id)s AND owner = %(owner)s AND expires_at <= %(now)s;

-- name: scratch_of_run
SELECT id, run_id, key, version, 'run_ended' AS cause
  FROM entries
 WHERE org_id = %(org_id)s AND run_id = %(run_id)s;

-- name: recall
-- One key, as the agent sees it: in the current run (the caller passes one that lives), in the agent, in its workspace.
SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at, updated_at
  FROM entries
 WHERE org_id = %(org_id)s
   AND owner = ANY (%(owners)s)
   AND key = %(key)s
   AND (run_id IS NULL OR run_id = %(run_id)s::text)
   AND (expires_at IS NULL OR expires_at > %(now)s)
   AND (%(category)s::text IS NULL OR category = %(category)s)
 ORDER BY run_id IS NULL, array_position(%(owners)s::text[], owner)
 LIMIT 1;

-- name: where_in_list
-- An entry's place in the order of the list; of one that is gone, the place it had.
SELECT coalesce(
    (SELECT e.updated_at
       FROM entries e
      WHERE e.org_id = %(org_id)s AND e.id = %(id)s AND e.owner = ANY (%(owners)s)),
    (SELECT (r.state->>'updated_at')::timestamptz
       FROM revisions r
      WHERE r.org_id = %(org_id)s
        AND r.kind = 'entry'
        AND r.object_id = %(id)s
        AND r.state IS NOT NULL
        AND (r.parent_id = ANY (%(owners)s)
             OR (starts_with(r.parent_id, 'runs/') AND r.state->>'agent_id' = %(agent_id)s))
      ORDER BY r.version DESC
      LIMIT 1));

-- name: list_entries
-- Each owner's core and the rest are walked by their index only as far as the page goes, and then merged.
SELECT e.*
  FROM unnest(%(owners)s::text[]) AS o(owner)
 CROSS JOIN (VALUES (true), (false)) AS tier(pinned)
 CROSS JOIN LATERAL (
       SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at,
              updated_at
         FROM entries
        WHERE org_id = %(org_id)s
          AND owner = o.owner
          AND pinned = tier.pinned
          AND (updated_at, id) < (%(older_than_at)s::timestamptz, %(older_than)s)
          AND (updated_at, id) > (%(newer_than_at)s::timestamptz, %(newer_than)s)
          AND (run_id IS NULL OR run_id = %(run_id)s::text)
          AND (expires_at IS NULL OR expires_at > %(now)s)
          AND (%(category)s::text IS NULL OR category = %(category)s)
          AND (%(tags)s::text[] IS NULL OR tags @> %(tags)s)
          AND (%(updated_after)s::timestamptz IS NULL OR updated_at > %(updated_after)s)
          AND (%(updated_before)s::timestamptz IS NULL OR updated_at < %(updated_before)s)
          AND (%(text)s::text IS NULL OR strpos(lower(key), lower(%(text)s)) > 0
               OR strpos(lower(content), lower(%(text)s)) > 0)
        ORDER BY updated_at DESC, id DESC
        LIMIT %(limit)s) AS e
 ORDER BY e.updated_at DESC, e.id DESC
 LIMIT %(limit)s;

-- name: hydrate
-- Costs are positive, so "the first that does not fit closes the tier" is: the running total within the budget.
-- Every row also says how much there was in all.
WITH visible AS (
    SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at,
           updated_at, pinned,
           sum(size) OVER tier AS up_to, row_number() OVER tier AS rank
      FROM entries
     WHERE org_id = %(org_id)s
       AND owner = ANY (%(owners)s)
       AND (run_id IS NULL OR run_id = %(run_id)s::text)
       AND (expires_at IS NULL OR expires_at > %(now)s)
    WINDOW tier AS (PARTITION BY pinned ORDER BY updated_at DESC, id DESC ROWS UNBOUNDED PRECEDING)
), total AS (
    SELECT count(*) AS all_entries, coalesce(sum(size), 0)::bigint AS all_bytes,
           coalesce(sum(size) FILTER (WHERE pinned AND (up_to <= %(budget)s OR rank = 1)), 0) AS core_bytes
      FROM visible
)
SELECT v.id, v.agent_id, v.workspace_id, v.run_id, v.key, v.category, v.content, v.tags, v.size, v.version, v.expires_at,
       v.created_at, v.updated_at, total.all_entries, total.all_bytes
  FROM visible v, total
 WHERE CASE WHEN v.pinned THEN v.up_to <= %(budget)s OR v.rank = 1
            ELSE v.up_to <= %(budget)s - total.core_bytes OR (v.rank = 1 AND total.core_bytes = 0) END
 ORDER BY v.updated_at DESC, v.id DESC;

-- name: export
SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at, updated_at
  FROM entries
 WHERE org_id = %(org_id)s
   AND owner = %(owner)s
   AND run_id IS NULL
   AND (expires_at IS NULL OR expires_at > %(now)s)
 ORDER BY category, key;

-- name: start_run
INSERT INTO runs (org_id, id, agent_id, started_at, last_activity_at)
VALUES (%(org_id)s, %(run_id)s, %(agent_id)s, %(now)s, %(now)s);

-- name: write_under_run
-- Gives no row for a run that has ended, by hand or by idling; waits for one that is being ended.
UPDATE runs
   SET last_activity_at = greatest(%(now)s, last_activity_at)
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND agent_id = %(agent_id)s AND ended_at IS NULL
   AND last_activity_at > %(idle_since)s
RETURNING id;

-- name: read_run
SELECT id AS run_id, agent_id, started_at,
       coalesce(ended_at, CASE WHEN last_activity_at <= %(idle_since)s THEN last_activity_at + %(idles)s END) AS ended_at
  FROM runs
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND agent_id = %(agent_id)s;

-- name: read_under_run
-- Reading is activity too; to the minute is close enough, and keeps reads from writing.
UPDATE runs
   SET last_activity_at = %(now)s
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND agent_id = %(agent_id)s AND ended_at IS NULL
   AND last_activity_at > %(idle_since)s AND last_activity_at < %(stale_since)s;

-- name: end_run
-- Gives no row for a run that was ended before. One that idled too long ended when it had.
UPDATE runs
   SET ended_at = CASE WHEN last_activity_at <= %(idle_since)s THEN last_activity_at + %(idles)s ELSE %(now)s END
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND agent_id = %(agent_id)s AND ended_at IS NULL
RETURNING id AS run_id, agent_id, started_at, ended_at;

-- name: end_if_idle
-- Gives no row where the run is over already or has been used since.
UPDATE runs
   SET ended_at = last_activity_at + %(idles)s
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND ended_at IS NULL AND last_activity_at <= %(idle_since)s
RETURNING id AS run_id, agent_id, started_at, ended_at;

-- name: idle_deadline
-- When a run will have idled too long; gives no row for one that has ended.
SELECT last_activity_at + %(idles)s FROM runs WHERE org_id = %(org_id)s AND id = %(run_id)s AND ended_at IS NULL;

-- name: entries_to_index
SELECT id, owner, key, content, category, tags, updated_at, expires_at
  FROM entries
 WHERE org_id = %(org_id)s AND id = ANY (%(ids)s) AND run_id IS NULL;

-- name: recalled_entries
SELECT id, agent_id, workspace_id, run_id, key, category, content, tags, size, version, expires_at, created_at, updated_at
  FROM entries
 WHERE org_id = %(org_id)s
   AND id = ANY (%(ids)s)
   AND owner = ANY (%(owners)s)
   AND run_id IS NULL
   AND (expires_at IS NULL OR expires_at > %(now)s);
