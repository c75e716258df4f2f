-- Each statement that reads what a caller asked for compares `audience` with `entries_seen` (functions.sql).

-- fragment: entry
e.id, e.agent_id, e.workspace_id, e.run_id, e.user_id, e.scope, e.key, e.category, e.content, e.tags, e.size, e.version,
       e.expires_at, e.created_at, e.updated_at

-- name: lock_quota
-- Gives no row for a quota that never had an entry.
SELECT used FROM entry_quotas WHERE org_id = %(org_id)s AND audience = %(quota)s FOR UPDATE;

-- name: make_quota
INSERT INTO entry_quotas (org_id, audience) VALUES (%(org_id)s, %(quota)s) ON CONFLICT (org_id, audience) DO NOTHING;

-- name: save_count
UPDATE entry_quotas SET used = %(used)s WHERE org_id = %(org_id)s AND audience = %(quota)s;

-- name: entries_to_change
-- What these audiences hold under these keys (NULL: all); the expired too, for the writer to remove.
-- sight: the audiences are those of the writer's Reach
SELECT {entry}
  FROM entries e
 WHERE e.org_id = %(org_id)s
   AND e.audience = ANY (%(audiences)s)
   AND (%(keys)s::text[] IS NULL OR e.key = ANY (%(keys)s));

-- name: last_revisions
-- The last revision under each key in each audience, whether the entry is there or gone.
-- sight: the audiences are those of the caller's Reach
SELECT a.audience, k.key, last.id, last.version
  FROM unnest(%(audiences)s::text[]) AS a(audience)
 CROSS JOIN unnest(%(keys)s::text[]) AS k(key)
 CROSS JOIN LATERAL (
       SELECT r.object_id AS id, r.version
         FROM revisions r
        WHERE r.org_id = %(org_id)s AND r.kind = 'entry' AND r.parent_id = a.audience AND r.label = k.key
        ORDER BY r.version DESC
        LIMIT 1) AS last;

-- name: put_entry
-- The writer holds the quota's lock and has compared versions; this only writes what it decided.
-- sight: the audience is one of the writer's Reach
INSERT INTO entries (
    org_id, id, run_id, user_id, key, category, content, tags, size, agent_id, workspace_id, version, expires_at,
    created_at, updated_at
)
VALUES (
    %(org_id)s, %(id)s, %(run_id)s, %(user_id)s, %(key)s, %(category)s, %(content)s, %(tags)s, %(size)s, %(agent_id)s,
    %(workspace_id)s, %(version)s, %(expires_at)s, %(created_at)s, %(updated_at)s
)
ON CONFLICT (org_id, id) DO UPDATE
   SET category = excluded.category, content = excluded.content, tags = excluded.tags, size = excluded.size,
       agent_id = excluded.agent_id, version = excluded.version, expires_at = excluded.expires_at,
       updated_at = excluded.updated_at;

-- name: make_room
-- Deletes what is dead (expired, or of a run that idled too long); where that frees too few places, the coldest: never a
-- core entry while another remains, and none at all for a write that is not core.
-- sight: the quota is the writer's own
WITH dead AS MATERIALIZED (
    SELECT e.id, 'expired' AS cause
      FROM entries e
     WHERE e.org_id = %(org_id)s AND e.quota = %(quota)s AND e.expires_at <= %(now)s
    UNION ALL
    SELECT e.id, 'run_ended'
      FROM runs r
      JOIN entries e ON e.org_id = r.org_id AND e.run_id = r.id
     WHERE r.org_id = %(org_id)s AND r.agent_id = %(agent_id)s::text AND r.ended_at IS NULL
       AND r.last_activity_at <= %(idle_since)s
), coldest AS MATERIALIZED (
    SELECT e.id, 'evicted' AS cause
      FROM entries e
     WHERE e.org_id = %(org_id)s AND e.quota = %(quota)s AND e.pinned <= %(evict_core)s
       AND NOT EXISTS (SELECT FROM dead WHERE dead.id = e.id)
     ORDER BY e.pinned, e.updated_at, e.id
     LIMIT greatest(0, %(needed)s - (SELECT count(*) FROM dead))
)
DELETE FROM entries e
 USING (SELECT * FROM dead UNION ALL SELECT * FROM coldest) AS gone
 WHERE e.org_id = %(org_id)s AND e.id = gone.id
RETURNING e.id, e.audience, e.key, e.version, gone.cause;

-- name: delete_entries
-- sight: the writer read these ids under the quota's lock
DELETE FROM entries e WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s);

-- name: expired_of_quota
-- sight: a job of the org removes what no read shows
SELECT e.id, e.audience, e.key, e.version, 'expired' AS cause
  FROM entries e
 WHERE e.org_id = %(org_id)s AND e.quota = %(quota)s AND e.expires_at <= %(now)s;

-- name: entries_of_run
-- sight: the run was ended as the agent's, or by a job of the org
SELECT e.id, e.audience, e.key, e.version, 'run_ended' AS cause
  FROM entries e
 WHERE e.org_id = %(org_id)s AND e.run_id = %(run_id)s;

-- name: recall
-- One key, in the nearest audience that has it. The caller passes a run only while it lives.
SELECT {entry}
  FROM entries e
 WHERE e.org_id = %(org_id)s
   AND e.audience = ANY (entries_seen({by}))
   AND e.key = %(key)s
   AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
   AND (%(category)s::text IS NULL OR e.category = %(category)s)
   AND (%(scope)s::text IS NULL OR e.scope = %(scope)s)
 ORDER BY array_position(entries_seen({by}), e.audience)
 LIMIT 1;

-- name: time_in_list
-- An entry's time in the order of the list; of one that is gone, the time it had. The run of an entry that is gone may be
-- over: then the entry's agent has to be the caller's.
SELECT coalesce(
    (SELECT e.updated_at
       FROM entries e
      WHERE e.org_id = %(org_id)s
        AND e.id = %(id)s
        AND e.audience = ANY (entries_seen({by}))),
    (SELECT (r.state->>'updated_at')::timestamptz
       FROM revisions r
      WHERE r.org_id = %(org_id)s
        AND r.kind = 'entry'
        AND r.object_id = %(id)s
        AND r.state IS NOT NULL
        AND (r.parent_id = ANY (entries_seen({by}))
             OR (starts_with(r.parent_id, 'run:') AND r.state->>'agent_id' = %(by_agent)s))
      ORDER BY r.version DESC
      LIMIT 1));

-- name: list_entries
-- Each quota's core and the rest are walked by their index only as far as the page goes, and then merged.
SELECT {entry}
  FROM unnest(%(quotas)s::text[]) AS q(quota)
 CROSS JOIN (VALUES (true), (false)) AS tier(pinned)
 CROSS JOIN LATERAL (
       SELECT {entry}
         FROM entries e
        WHERE e.org_id = %(org_id)s
          AND e.quota = q.quota
          AND e.pinned = tier.pinned
          AND e.audience = ANY (entries_seen({by}))
          AND (e.updated_at, e.id) < (%(older_than_at)s::timestamptz, %(older_than)s)
          AND (e.updated_at, e.id) > (%(newer_than_at)s::timestamptz, %(newer_than)s)
          AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
          AND (%(category)s::text IS NULL OR e.category = %(category)s)
          AND (%(tags)s::text[] IS NULL OR e.tags @> %(tags)s)
          AND (%(updated_after)s::timestamptz IS NULL OR e.updated_at > %(updated_after)s)
          AND (%(updated_before)s::timestamptz IS NULL OR e.updated_at < %(updated_before)s)
          AND (%(text)s::text IS NULL OR strpos(lower(e.key), lower(%(text)s)) > 0
               OR strpos(lower(e.content), lower(%(text)s)) > 0)
        ORDER BY e.updated_at DESC, e.id DESC
        LIMIT %(limit)s) AS e
 ORDER BY e.updated_at DESC, e.id DESC
 LIMIT %(limit)s;

-- name: hydrate
-- Costs are positive, so "the first that does not fit closes the tier" is: the running total within the budget.
-- Every row also says how much there was in all.
WITH visible AS (
    SELECT {entry}, e.pinned,
           sum(e.size) OVER tier AS up_to, row_number() OVER tier AS rank
      FROM entries e
     WHERE e.org_id = %(org_id)s
       AND e.quota = ANY (%(quotas)s)
       AND e.audience = ANY (entries_seen({by}))
       AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
    WINDOW tier AS (PARTITION BY e.pinned ORDER BY e.updated_at DESC, e.id DESC ROWS UNBOUNDED PRECEDING)
), total AS (
    SELECT count(*) AS all_entries, coalesce(sum(size), 0)::bigint AS all_bytes,
           coalesce(sum(size) FILTER (WHERE pinned AND (up_to <= %(budget)s OR rank = 1)), 0) AS core_bytes
      FROM visible
)
SELECT {entry}, total.all_entries, total.all_bytes
  FROM visible e, total
 WHERE CASE WHEN e.pinned THEN e.up_to <= %(budget)s OR e.rank = 1
            ELSE e.up_to <= %(budget)s - total.core_bytes OR (e.rank = 1 AND total.core_bytes = 0) END
 ORDER BY e.updated_at DESC, e.id DESC;

-- name: export
SELECT {entry}
  FROM entries e
 WHERE e.org_id = %(org_id)s
   AND e.audience = ANY (entries_seen(%(by_user)s, %(by_agent)s, NULL, NULL, NULL))
   AND e.scope = %(scope)s
   AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
 ORDER BY e.category, e.key;

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
       coalesce(ended_at, CASE WHEN last_activity_at <= %(idle_since)s THEN time_after(last_activity_at, %(idles)s) END) AS ended_at
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
   SET ended_at = CASE WHEN last_activity_at <= %(idle_since)s THEN time_after(last_activity_at, %(idles)s) ELSE %(now)s END
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND agent_id = %(agent_id)s AND ended_at IS NULL
RETURNING id AS run_id, agent_id, started_at, ended_at;

-- name: end_if_idle
-- Gives no row where the run is over already or has been used since.
UPDATE runs
   SET ended_at = time_after(last_activity_at, %(idles)s)
 WHERE org_id = %(org_id)s AND id = %(run_id)s AND ended_at IS NULL AND last_activity_at <= %(idle_since)s
RETURNING id AS run_id, agent_id, started_at, ended_at;

-- name: idle_deadline
-- When a run will have idled too long; gives no row for one that has ended.
SELECT time_after(last_activity_at, %(idles)s) FROM runs WHERE org_id = %(org_id)s AND id = %(run_id)s AND ended_at IS NULL;

-- name: entries_to_index
-- sight: a job of the org embeds what is there; nothing is shown
SELECT e.id, e.audience, e.key, e.content, e.category, e.tags, e.updated_at, e.expires_at
  FROM entries e
 WHERE e.org_id = %(org_id)s AND e.id = ANY (%(ids)s) AND e.run_id IS NULL;

-- name: recalled_entries
SELECT {entry}
  FROM entries e
 WHERE e.org_id = %(org_id)s
   AND e.id = ANY (%(ids)s)
   AND e.audience = ANY (entries_seen(%(by_user)s, %(by_agent)s, NULL, %(by_workspace)s, NULL))
   AND (e.expires_at IS NULL OR e.expires_at > %(now)s);

-- name: expired_entries
SELECT e.id
  FROM entries e
 WHERE e.org_id = %(org_id)s
   AND e.id = ANY (%(ids)s)
   AND e.audience = ANY (entries_seen(%(by_user)s, %(by_agent)s, NULL, %(by_workspace)s, NULL))
   AND e.expires_at <= %(now)s;
