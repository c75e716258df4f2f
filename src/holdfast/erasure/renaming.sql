-- Rows that stay after an erasure: `rename_TABLE` puts the pseudonym in the place of the person. Parameters as in queries.sql.
-- sight: an erasure is of everything that one person has, whoever else sees it; service.py decides who may ask for it.

-- name: rename_memories
UPDATE memories SET user_id = %(pseudonym)s WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: rename_nodes
UPDATE nodes SET user_id = %(pseudonym)s WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: rename_memory_stores
UPDATE memory_stores SET created_by = %(pseudonym)s WHERE org_id = %(org_id)s AND created_by = %(user_id)s RETURNING id;

-- name: rename_revisions
UPDATE revisions
   SET user_id = CASE WHEN user_id = %(user_id)s THEN %(pseudonym)s ELSE user_id END,
       actor_id = CASE WHEN (actor_type = 'user' AND actor_id = %(user_id)s)
                         OR (actor_type = 'api_key' AND actor_id = ANY (%(keys)s::text[])) THEN %(pseudonym)s ELSE actor_id END,
       session_id = CASE WHEN session_id = ANY (%(sessions)s::text[]) THEN NULL ELSE session_id END,
       redacted_by = CASE WHEN redacted_by ->> 'id' = ANY (%(keys)s::text[] || ARRAY[%(user_id)s::text])
                          THEN jsonb_set(redacted_by, ARRAY['id'], to_jsonb(%(pseudonym)s::text)) ELSE redacted_by END,
       state = CASE WHEN state ->> 'user_id' = %(user_id)s
                    THEN jsonb_set(state, ARRAY['user_id'], to_jsonb(%(pseudonym)s::text))
                    WHEN state ->> 'created_by' = %(user_id)s
                    THEN jsonb_set(state, ARRAY['created_by'], to_jsonb(%(pseudonym)s::text))
                    WHEN kind = 'project' AND state -> 'members' ? %(user_id)s
                    THEN jsonb_set(state, ARRAY['members'], (state -> 'members') - %(user_id)s::text)
                    ELSE state END
 WHERE org_id = %(org_id)s
   AND (user_id = %(user_id)s
        OR (actor_type = 'user' AND actor_id = %(user_id)s)
        OR (actor_type = 'api_key' AND actor_id = ANY (%(keys)s::text[]))
        OR session_id = ANY (%(sessions)s::text[])
        OR redacted_by ->> 'id' = ANY (%(keys)s::text[] || ARRAY[%(user_id)s::text])
        OR state ->> 'user_id' = %(user_id)s
        OR state ->> 'created_by' = %(user_id)s
        OR (kind = 'project' AND state -> 'members' ? %(user_id)s))
RETURNING id;

-- name: cut_history
-- Links of earlier versions to what is erased, and their quotes.
UPDATE revisions r
   SET state = jsonb_set(r.state, ARRAY['sources'],
                         (SELECT coalesce(jsonb_agg(link.made), '[]')
                            FROM jsonb_array_elements(r.state -> 'sources') AS link (made)
                           WHERE link.made ->> 'ref' <> ALL (%(sessions)s::text[] || %(entries)s::text[] || %(messages)s::text[])))
               - CASE WHEN r.state ->> 'session_id' = ANY (%(sessions)s::text[]) THEN 'session_id' ELSE '' END
 WHERE r.org_id = %(org_id)s AND r.kind = 'memory' AND jsonb_typeof(r.state -> 'sources') = 'array'
   AND (r.state ->> 'session_id' = ANY (%(sessions)s::text[])
        OR EXISTS (SELECT FROM jsonb_array_elements(r.state -> 'sources') AS link (made)
                    WHERE link.made ->> 'ref' = ANY (%(sessions)s::text[] || %(entries)s::text[] || %(messages)s::text[])))
RETURNING r.id;

-- name: rename_job
-- The job that erases: it names the receipt from now on. One that the person asked for is the org's.
UPDATE jobs
   SET subject = %(receipt)s, once = NULL, user_id = CASE WHEN user_id = %(user_id)s THEN NULL ELSE user_id END
 WHERE org_id = %(org_id)s AND id = %(this_job)s;
