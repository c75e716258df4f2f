-- name: count_request
-- One row a key: the counter starts anew with the minute.
INSERT INTO request_counts AS c (org_id, key_id, minute, used)
VALUES (%(org_id)s, %(key_id)s, date_trunc('minute', %(now)s::timestamptz), 1)
ON CONFLICT (org_id, key_id) DO UPDATE
   SET used = CASE WHEN c.minute = excluded.minute THEN c.used + 1 ELSE 1 END,
       minute = excluded.minute
RETURNING used;
