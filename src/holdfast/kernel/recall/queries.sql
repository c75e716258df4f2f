-- sight: the functions take the audiences that the caller belongs to; a revision is asked for by its id.

-- name: put
-- Where a revision is named, only if it was written: its writer need not wait to know.
SELECT recall_put(
    %(org_id)s, %(kind)s, %(object_id)s, %(scope)s, %(workspace_id)s, %(session_id)s, %(actor)s, %(labels)s, %(at)s, %(updated_at)s,
    %(until)s, %(importance)s, %(pinned)s, %(head)s, %(summary)s, %(about)s, %(bodies)s, %(literals)s, %(starts)s,
    %(ends)s, %(vectors)s, %(tokens)s, %(model)s, %(underway)s)
 WHERE %(revision_id)s::text IS NULL
    OR EXISTS (SELECT FROM revisions
                WHERE org_id = %(org_id)s AND kind = %(kind)s AND object_id = %(object_id)s AND id = %(revision_id)s);

-- name: drop
SELECT recall_drop(%(org_id)s, %(kind)s, %(object_ids)s);

-- name: drop_scope
SELECT recall_drop_scope(%(org_id)s, %(scope)s);

-- name: begin
SELECT names, model, weights, underway FROM recall_begin(%(org_id)s, %(scopes)s, %(words)s);

-- name: candidates
SELECT {candidate_columns}
  FROM recall_candidates(%(org_id)s, %(scopes)s, %(kinds)s, %(workspace_id)s, {candidate_params});

-- name: probe
SELECT object_id, matches, embedded, similarity
  FROM recall_probe(%(org_id)s, %(kind)s, %(object_ids)s, %(scopes)s, %(text)s, %(literals)s, %(vector)s, %(model)s);

-- name: register
SELECT recall_register(%(model)s);

-- name: missing
SELECT kind, object_id, last_passage FROM recall_missing(%(org_id)s, %(model)s, %(after)s, %(limit)s);

-- name: progress
SELECT passages, embedded FROM recall_progress(%(org_id)s, %(model)s);

-- name: fill
SELECT recall_fill(%(org_id)s, %(kind)s, %(object_id)s, %(updated_at)s, %(vectors)s, %(tokens)s, %(model)s);

-- name: follow
SELECT recall_follow(%(org_id)s, %(kind)s, %(object_id)s, %(updated_at)s, %(vectors)s, %(tokens)s, %(model)s);

-- name: flush_later
-- A vector that is lost with a crash of the machine is made again by a job: its commit need not wait for the disk.
SELECT set_config('synchronous_commit', 'off', true);

-- name: is_underway
SELECT recall_is_underway(%(org_id)s, %(scopes)s, %(newest)s);

-- name: orgs_left_behind
SELECT org_id FROM recall_orgs_left_behind(%(before)s) AS org_id;

-- name: hand_over
SELECT recall_hand_over(%(org_id)s, %(before)s);

-- name: has
SELECT recall_has(%(org_id)s, %(kind)s, %(object_id)s);

-- name: objects
SELECT kind, object_id, last_passage FROM recall_objects(%(org_id)s, %(after)s, %(limit)s);

-- name: reword
SELECT recall_reword(%(org_id)s, %(kind)s, %(object_id)s, %(updated_at)s, %(head)s, %(summary)s, %(about)s, %(bodies)s, %(literals)s);
