-- fragment: job
id, kind, subject, status, attempts, error, tokens, result, result ->> 'extractor' AS extractor, version, created_at, updated_at,
       started_at, finished_at, not_before

-- name: enqueue
-- sight: it is the caller's own.
-- Gives no row where this kind was asked for `once` before. The queue's entry holds ids only.
WITH job AS (
    INSERT INTO jobs (org_id, id, queue, kind, subject, once, user_id, agent_id, workspace_id, not_before,
                      created_at, updated_at)
    VALUES (%(org_id)s, %(id)s, %(queue)s, %(kind)s, %(subject)s, %(once)s, %(user_id)s, %(agent_id)s,
            %(workspace_id)s, %(not_before)s, %(now)s, %(now)s)
    ON CONFLICT (org_id, kind, once) DO NOTHING
    RETURNING org_id, id, queue
), entry AS (
    SELECT enqueue_job(job.queue, job.org_id, job.id, %(not_before)s::timestamptz) FROM job
)
SELECT job.id FROM job, entry;

-- name: read_job
SELECT {job}
  FROM jobs
 WHERE org_id = %(org_id)s AND id = %(id)s
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, audience)
   AND not_of_another_agent(%(key_agent)s, agent_id);

-- name: list_jobs
SELECT {job}
  FROM jobs
 WHERE org_id = %(org_id)s
   AND audience = ANY (audiences(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s))
   AND not_of_another_agent(%(key_agent)s, agent_id)
   AND (%(status)s::text IS NULL OR status = %(status)s)
   AND (%(kind)s::text IS NULL OR kind = %(kind)s)
   AND id < %(older_than)s
   AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;

-- name: claim
-- sight: the queue names the job.
-- Gives no row for a job that was cancelled or is over. A job found running was left by a worker that died.
UPDATE jobs
   SET status = 'running', attempts = attempts + 1, started_at = %(now)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND status IN ('queued', 'running')
RETURNING id, kind, subject, attempts, user_id, agent_id, workspace_id;

-- name: succeed
-- sight: claimed before.
UPDATE jobs
   SET status = 'succeeded', error = NULL, tokens = tokens + %(tokens)s,
       result = CASE WHEN %(result)s::jsonb IS NULL THEN result ELSE coalesce(result, '{}') || %(result)s::jsonb END, finished_at = %(now)s,
       version = version + 1, updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND status = 'running';

-- name: add_progress
-- What a running job has done so far, with the transaction that did it.
-- sight: claimed before.
UPDATE jobs
   SET tokens = tokens + %(tokens)s,
       result = coalesce(result, '{}') || jsonb_build_object(
                    'messages', coalesce((result ->> 'messages')::int, 0) + %(messages)s)
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: note_progress
-- sight: claimed before.
UPDATE jobs
   SET result = jsonb_build_object('progress', %(progress)s::jsonb), version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND status = 'running';

-- name: give_up
-- sight: claimed before.
UPDATE jobs
   SET status = 'failed', error = %(error)s, finished_at = %(now)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s AND status = 'running';

-- name: try_again
-- sight: claimed before.
WITH job AS (
    UPDATE jobs
       SET status = 'queued', error = %(error)s, not_before = %(now)s::timestamptz + %(delay)s::interval, version = version + 1,
           updated_at = later(updated_at, %(now)s)
     WHERE org_id = %(org_id)s AND id = %(id)s AND status = 'running'
    RETURNING org_id, id, queue, not_before
)
SELECT enqueue_job(queue, org_id, id, not_before) FROM job;

-- name: cancel
UPDATE jobs
   SET status = 'cancelled', finished_at = %(now)s, version = version + 1,
       updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = %(id)s
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, audience)
   AND not_of_another_agent(%(key_agent)s, agent_id)
   AND status = 'queued' AND matches(version, %(if_match)s)
RETURNING {job};

-- name: retry
WITH job AS (
    UPDATE jobs
       SET status = 'queued', attempts = 0, error = NULL, finished_at = NULL, not_before = NULL, version = version + 1,
           updated_at = later(updated_at, %(now)s)
     WHERE org_id = %(org_id)s AND id = %(id)s
       AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, audience)
       AND not_of_another_agent(%(key_agent)s, agent_id)
       AND status IN ('failed', 'cancelled') AND matches(version, %(if_match)s)
    RETURNING *
), entry AS (
    SELECT enqueue_job(queue, org_id, id, NULL) FROM job
)
SELECT {job}
  FROM job, entry;

-- name: read_backlog
-- sight: numbers of the queue, whose entries hold ids only.
SELECT count(*)::float AS waiting,
       coalesce(extract(epoch FROM %(now)s - min(coalesce(entry.scheduled_at, event.at))), 0)::float AS oldest_s
  FROM procrastinate_jobs entry
  JOIN procrastinate_events event ON event.job_id = entry.id AND event.type = 'deferred'
 WHERE entry.queue_name = %(queue)s AND entry.status = 'todo' AND coalesce(entry.scheduled_at, '-infinity') <= %(now)s;

-- name: reconcile
SELECT reconcile_jobs(%(queue)s, %(now)s);
