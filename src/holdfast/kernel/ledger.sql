-- sight: written by jobs; list_calls shows a service key the org's calls, and everyone else their own.

-- name: lock_cap
-- The org's cap, held, so that two calls cannot both take the last of it.
SELECT llm_tokens_per_day FROM orgs WHERE org_id = %(org_id)s FOR NO KEY UPDATE;

-- name: end_abandoned
-- Calls of this job that a worker did not live to finish: they began before the job's present attempt.
UPDATE llm_calls c
   SET status = 'failed', error = 'the worker stopped before the answer came', output_tokens = 0, finished_at = %(now)s
  FROM (SELECT id, started_at FROM jobs WHERE org_id = %(org_id)s AND id = %(job_id)s) j
 WHERE c.org_id = %(org_id)s AND c.job_id = j.id AND c.status = 'running' AND c.started_at < j.started_at;

-- name: used_since
SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint
  FROM llm_calls
 WHERE org_id = %(org_id)s AND started_at >= %(since)s;

-- name: begin_call
INSERT INTO llm_calls (org_id, id, kind, job_id, user_id, model, input_tokens, output_tokens, started_at)
VALUES (%(org_id)s, %(id)s, %(kind)s, %(job_id)s, %(user_id)s, %(model)s, %(input_tokens)s, %(output_tokens)s, %(now)s);

-- name: end_call
UPDATE llm_calls
   SET status = %(status)s, error = %(error)s, input_tokens = %(input_tokens)s, output_tokens = %(output_tokens)s,
       finished_at = %(now)s
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: list_calls
SELECT id, kind, job_id, model, status, input_tokens, output_tokens, error, started_at, finished_at
  FROM llm_calls
 WHERE org_id = %(org_id)s
   AND (%(all_users)s OR user_id = %(user_id)s::text)
   AND (%(status)s::text IS NULL OR status = %(status)s)
   AND (%(job_id)s::text IS NULL OR job_id = %(job_id)s)
   AND id < %(older_than)s
   AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;
