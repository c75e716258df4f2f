-- sight: numbers of a whole org, which everybody of the org may see

-- name: add
INSERT INTO usage_minutes AS u (org_id, at, face, calls, writes, recalls, hits, tokens, evictions, seconds)
SELECT %(org_id)s, n.at, n.face, n.calls, n.writes, n.recalls, n.hits, n.tokens, n.evictions, n.seconds
  FROM jsonb_to_recordset(%(rows)s) AS n (at timestamptz, face text, calls bigint, writes bigint, recalls bigint, hits bigint,
                                          tokens bigint, evictions bigint, seconds double precision)
 WHERE EXISTS (SELECT FROM orgs o WHERE o.org_id = %(org_id)s)  -- the numbers of an org that is gone go with it
 ORDER BY n.at, n.face
ON CONFLICT (org_id, at, face) DO UPDATE
   SET calls = u.calls + excluded.calls, writes = u.writes + excluded.writes, recalls = u.recalls + excluded.recalls,
       hits = u.hits + excluded.hits, tokens = u.tokens + excluded.tokens, evictions = u.evictions + excluded.evictions,
       seconds = u.seconds + excluded.seconds;

-- name: read
SELECT date_bin(%(bucket)s, u.at, timestamptz '2001-01-01 00:00:00+00') AS at, u.face, sum(u.writes)::bigint AS writes,
       sum(u.recalls)::bigint AS recalls, sum(u.hits)::double precision / nullif(sum(u.recalls), 0) AS hit_rate,
       sum(u.tokens)::bigint AS tokens, sum(u.evictions)::bigint AS evictions,
       1000 * sum(u.seconds) / nullif(sum(u.calls), 0) AS latency_ms
  FROM usage_minutes u
 WHERE u.org_id = %(org_id)s AND u.at >= date_trunc('minute', %(since)s::timestamptz) AND u.at < %(until)s
 GROUP BY 1, 2
 ORDER BY 1, 2;

-- name: read_latencies
-- The mean over the calls of all faces.
SELECT date_bin(%(bucket)s, u.at, timestamptz '2001-01-01 00:00:00+00') AS at, 1000 * sum(u.seconds) / sum(u.calls) AS latency_ms
  FROM usage_minutes u
 WHERE u.org_id = %(org_id)s AND u.at >= date_trunc('minute', %(since)s::timestamptz) AND u.at < %(until)s AND u.calls > 0
 GROUP BY 1
 ORDER BY 1;
