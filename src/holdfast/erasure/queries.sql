-- Erasing one person. `erase_TABLE` deletes what is the person's in a table and gives the ids of what is gone; rules.py says
-- which table has which. renaming.sql is for rows that stay.
-- sight: an erasure is of everything that one person has, whoever else sees it; service.py decides who may ask for it.

-- name: is_known
-- A person may be gone from the directory and still have memory.
SELECT EXISTS (SELECT FROM users WHERE org_id = %(org_id)s AND id = %(user_id)s)
    OR EXISTS (SELECT FROM blocks WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM entries WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM memories WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM conversations WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM conversation_histories WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM sessions WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM insights WHERE org_id = %(org_id)s AND user_id = %(user_id)s)
    OR EXISTS (SELECT FROM revisions WHERE org_id = %(org_id)s AND user_id = %(user_id)s);

-- name: is_last_owner
SELECT coalesce(bool_or(id = %(user_id)s) AND count(*) = 1, false) FROM users WHERE org_id = %(org_id)s AND owner;

-- name: resources_in_redis
SELECT id FROM memory_resources WHERE org_id = %(org_id)s AND config -> 'persistence' ->> 'type' = 'redis' ORDER BY id LIMIT 1;

-- name: lock_person
-- One erasure of a person at a time.
SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'erase', %(org_id)s::text, %(user_id)s::text), 0));

-- --- what is the person's alone --------------------------------------------------------------------------------------

-- name: erase_oauth_grants
DELETE FROM oauth_grants WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_api_keys
DELETE FROM api_keys WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_request_counts
DELETE FROM request_counts WHERE org_id = %(org_id)s AND key_id = ANY (%(keys)s::text[]) RETURNING key_id;

-- name: erase_idempotency_keys
-- Answers that were given to the person, or to a service that acted for the person. A key is the client's own text.
DELETE FROM idempotency_keys
 WHERE org_id = %(org_id)s AND (user_id = %(user_id)s OR credential_id = ANY (%(keys)s::text[]))
RETURNING endpoint;

-- name: erase_sessions
DELETE FROM sessions WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_session_conversations
DELETE FROM session_conversations l USING sessions s
 WHERE l.org_id = %(org_id)s AND s.org_id = l.org_id AND s.id = l.session_id AND s.user_id = %(user_id)s
RETURNING l.key;

-- name: erase_conversation_messages
DELETE FROM conversation_messages m USING conversations c
 WHERE m.org_id = %(org_id)s AND c.org_id = m.org_id AND c.id = m.conversation_id AND c.user_id = %(user_id)s
RETURNING m.id;

-- name: erase_conversation_reads
DELETE FROM conversation_reads r USING conversations c
 WHERE r.org_id = %(org_id)s AND c.org_id = r.org_id AND c.id = r.conversation_id AND c.user_id = %(user_id)s
RETURNING r.conversation_id;

-- name: erase_conversation_flushed_ids
DELETE FROM conversation_flushed_ids f USING conversations c
 WHERE f.org_id = %(org_id)s AND c.org_id = f.org_id AND c.id = f.conversation_id AND c.user_id = %(user_id)s
RETURNING f.message_id;

-- name: erase_conversation_leases
DELETE FROM conversation_leases l USING conversations c
 WHERE l.org_id = %(org_id)s AND c.org_id = l.org_id AND c.id = l.conversation_id AND c.user_id = %(user_id)s
RETURNING l.conversation_id;

-- name: erase_conversations
DELETE FROM conversations WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_conversation_summaries
DELETE FROM conversation_summaries s USING conversation_histories h
 WHERE s.org_id = %(org_id)s AND h.org_id = s.org_id AND h.conversation_id = s.conversation_id AND h.user_id = %(user_id)s
RETURNING s.id;

-- name: erase_conversation_flushed
DELETE FROM conversation_flushed f USING conversation_histories h
 WHERE f.org_id = %(org_id)s AND h.org_id = f.org_id AND h.conversation_id = f.conversation_id AND h.user_id = %(user_id)s
RETURNING f.message_id;

-- name: erase_conversation_histories
DELETE FROM conversation_histories WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING conversation_id;

-- name: agents_of_person
-- The agents with which the person has entries or blocks: they are part of scopes of the index.
SELECT agent_id FROM entries WHERE org_id = %(org_id)s AND user_id = %(user_id)s
UNION
SELECT agent_id FROM blocks WHERE org_id = %(org_id)s AND user_id = %(user_id)s AND agent_id IS NOT NULL
UNION
SELECT substr(split_part(audience, '+', 1), length('agent:') + 1) FROM entry_quotas
 WHERE org_id = %(org_id)s AND starts_with(audience, 'agent:') AND string_to_array(audience, '+') @> ARRAY[%(of_user)s::text];

-- name: erase_entries
DELETE FROM entries WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_entry_quotas
DELETE FROM entry_quotas
 WHERE org_id = %(org_id)s AND string_to_array(audience, '+') @> ARRAY[%(of_user)s::text]
RETURNING audience;

-- name: erase_blocks
DELETE FROM blocks WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_context_turns
-- Also turns of others that were given something that is gone: it was derived from the person alone.
DELETE FROM context_turns t
 WHERE t.org_id = %(org_id)s
   AND (t.user_id = %(user_id)s
        OR EXISTS (SELECT
                     FROM regexp_matches(concat(t.reminders, t.recalled), '[a-z]+_[0-9a-f]{32}', 'g') AS mentioned (id)
                    WHERE mentioned.id[1] = ANY (%(gone)s::text[])))
RETURNING t.message_id;

-- name: erase_given_texts
DELETE FROM given_texts
 WHERE org_id = %(org_id)s AND (session_id = ANY (%(sessions)s::text[]) OR object_id = ANY (%(gone)s::text[]))
RETURNING object_id;

-- name: erase_given_objects
DELETE FROM given_objects WHERE org_id = %(org_id)s AND object_id = ANY (%(gone)s::text[])
RETURNING object_id;

-- name: erase_session_progress
DELETE FROM session_progress l USING sessions s
 WHERE l.org_id = %(org_id)s AND s.org_id = l.org_id AND s.id = l.session_id AND s.user_id = %(user_id)s
RETURNING l.key;

-- fragment: proposals_of_person
-- About the person's memory, from the person's sessions, or about something that is gone.
SELECT p.id
  FROM proposals p
 WHERE p.org_id = %(org_id)s
   AND (p.user_id = %(user_id)s
        OR p.session_id = ANY (%(sessions)s::text[])
        OR p.result ->> 'id' = ANY (%(gone)s::text[])
        OR p.supersedes = ANY (%(gone)s::text[]))

-- name: erase_learned_sources
DELETE FROM learned_sources
 WHERE org_id = %(org_id)s
   AND (proposal_id IN ({proposals_of_person}) OR string_to_array(audience, '+') @> ARRAY[%(of_user)s::text])
RETURNING message_id;

-- name: erase_learned_facts
DELETE FROM learned_facts
 WHERE org_id = %(org_id)s
   AND (id IN ({proposals_of_person}) OR object_id = ANY (%(gone)s::text[])
        OR string_to_array(audience, '+') @> ARRAY[%(of_user)s::text])
RETURNING id;

-- name: erase_proposals
DELETE FROM proposals WHERE org_id = %(org_id)s AND id IN ({proposals_of_person}) RETURNING id;

-- name: erase_insights
DELETE FROM insights WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING id;

-- name: erase_llm_calls
DELETE FROM llm_calls
 WHERE org_id = %(org_id)s
   AND (user_id = %(user_id)s
        OR job_id IN (SELECT id FROM jobs WHERE org_id = %(org_id)s AND user_id = %(user_id)s))
RETURNING id;

-- name: erase_jobs
-- Not the one that erases, which somebody waits for. What is left of the others in the queue finds no job and ends.
DELETE FROM jobs WHERE org_id = %(org_id)s AND user_id = %(user_id)s AND id <> %(this_job)s::text RETURNING id;

-- name: erase_browser_sessions
DELETE FROM browser_sessions WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING digest;

-- name: erase_sign_in_links
DELETE FROM sign_in_links WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING digest;

-- name: erase_project_members
DELETE FROM project_members WHERE org_id = %(org_id)s AND user_id = %(user_id)s RETURNING project_id;

-- name: erase_users
DELETE FROM users WHERE org_id = %(org_id)s AND id = %(user_id)s RETURNING id;

-- --- memories, nodes -------------------------------------------------------------------------------------------------

-- name: find_memories
SELECT id FROM memories
 WHERE org_id = %(org_id)s AND user_id = %(user_id)s AND (scope = 'global' OR %(everything)s);

-- name: find_derived
-- Memories of anybody that were derived from what is erased alone: they have sources, and all of them are gone. An id of a
-- message is the client's choice: one that another conversation has too does not count as gone.
SELECT m.id
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id <> ALL (%(memories)s::text[])
   AND m.sources <> '[]'
   AND NOT EXISTS (
       SELECT FROM jsonb_array_elements(m.sources) AS link (made)
        WHERE NOT ((link.made ->> 'kind' = 'session' AND link.made ->> 'ref' = ANY (%(sessions)s::text[]))
                OR (link.made ->> 'kind' = 'entry' AND link.made ->> 'ref' = ANY (%(entries)s::text[]))
                OR (link.made ->> 'kind' = 'message' AND link.made ->> 'ref' = ANY (%(messages)s::text[])
                    AND NOT EXISTS (SELECT FROM conversation_messages c
                                     WHERE c.org_id = %(org_id)s AND c.id = link.made ->> 'ref')
                    AND NOT EXISTS (SELECT FROM conversation_flushed f
                                     WHERE f.org_id = %(org_id)s AND f.message_id = link.made ->> 'ref'))));

-- name: cut_sources
-- A memory that was derived from others too stays, without its links to what is erased (and their quotes).
UPDATE memories m
   SET sources = (SELECT coalesce(jsonb_agg(link.made), '[]')
                    FROM jsonb_array_elements(m.sources) AS link (made)
                   WHERE NOT (link.made ->> 'kind' = 'session' AND link.made ->> 'ref' = ANY (%(sessions)s::text[]))
                     AND NOT (link.made ->> 'kind' = 'entry' AND link.made ->> 'ref' = ANY (%(entries)s::text[]))
                     AND NOT (link.made ->> 'kind' = 'message' AND link.made ->> 'ref' = ANY (%(messages)s::text[]))),
       session_id = CASE WHEN m.session_id = ANY (%(sessions)s::text[]) THEN NULL ELSE m.session_id END,
       superseded_by = CASE WHEN m.superseded_by = ANY (%(memories)s::text[]) THEN NULL ELSE m.superseded_by END
 WHERE m.org_id = %(org_id)s
   AND (m.session_id = ANY (%(sessions)s::text[])
        OR m.superseded_by = ANY (%(memories)s::text[])
        OR EXISTS (SELECT FROM jsonb_array_elements(m.sources) AS link (made)
                    WHERE link.made ->> 'ref' = ANY (%(sessions)s::text[] || %(entries)s::text[] || %(messages)s::text[])))
RETURNING m.id;

-- name: find_nodes
SELECT id FROM nodes
 WHERE org_id = %(org_id)s AND user_id = %(user_id)s AND (visibility = 'user' OR %(everything)s);

-- name: erase_node_items
-- Of the person's nodes; with everything, also what the person added to others' nodes.
DELETE FROM node_items i
 WHERE i.org_id = %(org_id)s
   AND (i.node_id = ANY (%(nodes)s::text[])
        OR (%(everything)s AND EXISTS (SELECT FROM revisions r
                                        WHERE r.org_id = %(org_id)s AND r.kind = 'node_item' AND r.object_id = i.id
                                          AND r.user_id = %(user_id)s)))
RETURNING i.id;

-- name: erase_node_edges
DELETE FROM node_edges e
 WHERE e.org_id = %(org_id)s
   AND (e.from_id = ANY (%(nodes)s::text[]) OR e.to_id = ANY (%(nodes)s::text[]))
RETURNING e.id;

-- name: erase_node_names
DELETE FROM node_names WHERE org_id = %(org_id)s AND node_id = ANY (%(nodes)s::text[]) RETURNING folded;

-- name: erase_nodes
DELETE FROM nodes WHERE org_id = %(org_id)s AND id = ANY (%(nodes)s::text[]) RETURNING id;

-- --- stores ----------------------------------------------------------------------------------------------------------

-- name: find_stores
SELECT id FROM memory_stores WHERE org_id = %(org_id)s AND created_by = %(user_id)s AND visibility = 'private';

-- name: erase_store_entries
-- Of the person's private stores; with everything, also entries of others' stores whose current text the person wrote.
WITH gone AS (
    DELETE FROM store_entries e
     WHERE e.org_id = %(org_id)s
       AND (e.store_id = ANY (%(stores)s::text[])
            OR (%(everything)s AND EXISTS (SELECT FROM revisions r
                                            WHERE r.org_id = %(org_id)s AND r.kind = 'store_entry' AND r.object_id = e.id
                                              AND r.version = e.version AND r.user_id = %(user_id)s)))
    RETURNING e.id, e.store_id, e.size
), counted AS (
    UPDATE memory_stores s
       SET entry_count = s.entry_count - g.entries, total_size = s.total_size - g.bytes
      FROM (SELECT store_id, count(*) AS entries, sum(size) AS bytes FROM gone GROUP BY store_id) g
     WHERE s.org_id = %(org_id)s AND s.id = g.store_id
)
SELECT id FROM gone;

-- name: erase_memory_stores
-- Private ones; with everything, also org stores that the person made and that are empty now.
DELETE FROM memory_stores s
 WHERE s.org_id = %(org_id)s AND s.created_by = %(user_id)s
   AND (s.visibility = 'private'
        OR (%(everything)s AND NOT EXISTS (SELECT FROM store_entries e WHERE e.org_id = %(org_id)s AND e.store_id = s.id)))
RETURNING s.id;

-- --- with everything: what the person wrote into shared memory -------------------------------------------------------

-- name: erase_shared_entries
-- Entries of agents and workspaces whose current text the person wrote.
WITH gone AS (
    DELETE FROM entries e
     WHERE e.org_id = %(org_id)s AND e.user_id IS NULL
       AND EXISTS (SELECT FROM revisions r
                    WHERE r.org_id = %(org_id)s AND r.kind = 'entry' AND r.object_id = e.id AND r.version = e.version
                      AND r.user_id = %(user_id)s)
    RETURNING e.id, e.quota
), counted AS (
    UPDATE entry_quotas q SET used = greatest(0, q.used - g.entries)
      FROM (SELECT quota, count(*) AS entries FROM gone GROUP BY quota) g
     WHERE q.org_id = %(org_id)s AND q.audience = g.quota
)
SELECT id FROM gone;

-- name: erase_shared_messages
-- Messages that the person appended to conversations of shared resources.
WITH theirs AS (
    SELECT r.object_id AS conversation_id, jsonb_array_elements_text(r.state -> 'message_ids') AS message_id
      FROM revisions r
     WHERE r.org_id = %(org_id)s AND r.kind = 'conversation' AND r.user_id = %(user_id)s
       AND jsonb_typeof(r.state -> 'message_ids') = 'array'
), live AS (
    DELETE FROM conversation_messages m USING theirs t
     WHERE m.org_id = %(org_id)s AND m.conversation_id = t.conversation_id AND m.id = t.message_id
    RETURNING m.id
), flushed AS (
    DELETE FROM conversation_flushed f USING theirs t
     WHERE f.org_id = %(org_id)s AND f.conversation_id = t.conversation_id AND f.message_id = t.message_id
    RETURNING f.id, f.message_id
), dropped AS (
    SELECT recall_drop(%(org_id)s, 'flushed', ARRAY(SELECT id FROM flushed))
)
SELECT id FROM live UNION SELECT message_id FROM flushed, dropped;

-- name: count_shared_conversations
-- The totals of conversations that lost messages.
UPDATE conversations c
   SET message_count = now.messages, token_count = now.tokens, roles = now.roles, shares = now.shares, version = c.version + 1,
       updated_at = later(c.updated_at, %(now)s)
  FROM (SELECT t.id,
               (SELECT count(*) FROM conversation_messages m WHERE m.org_id = %(org_id)s AND m.conversation_id = t.id) AS messages,
               (SELECT coalesce(sum(m.tokens), 0) FROM conversation_messages m
                 WHERE m.org_id = %(org_id)s AND m.conversation_id = t.id) AS tokens,
               (SELECT coalesce(jsonb_object_agg(r.role, r.n), '{}')
                  FROM (SELECT m.role, count(*) AS n FROM conversation_messages m
                         WHERE m.org_id = %(org_id)s AND m.conversation_id = t.id GROUP BY m.role) r) AS roles,
               (SELECT coalesce(jsonb_object_agg(s.share, s.n), '{}')
                  FROM (SELECT m.share, sum(m.tokens) AS n FROM conversation_messages m
                         WHERE m.org_id = %(org_id)s AND m.conversation_id = t.id GROUP BY m.share) s) AS shares
          FROM conversations t
         WHERE t.org_id = %(org_id)s AND t.user_id IS NULL) now
 WHERE c.org_id = %(org_id)s AND c.id = now.id AND c.message_count <> now.messages;

-- name: redact_written
-- The texts of what the person wrote, in the history of whatever stays.
UPDATE revisions
   SET content = NULL, state = NULL, label = NULL, redacted_at = %(now)s
 WHERE org_id = %(org_id)s AND user_id = %(user_id)s AND redacted_at IS NULL
RETURNING id;

-- --- history ---------------------------------------------------------------------------------------------------------

-- name: erase_revisions
-- The history of what is gone, and of what hung on it.
DELETE FROM revisions r
 WHERE r.org_id = %(org_id)s
   AND ((r.kind, r.object_id) IN (SELECT kind, id FROM unnest(%(kinds)s::text[], %(ids)s::text[]) AS gone (kind, id))
        OR r.parent_id = ANY (%(ids)s::text[]))
RETURNING r.id;

-- name: erase_personal_revisions
-- The history of what was the person's and went before: it is known by its owner, or by its kind.
DELETE FROM revisions r
 WHERE r.org_id = %(org_id)s
   AND ((r.kind = 'user' AND r.object_id = %(user_id)s)
        OR (r.kind = 'entry' AND string_to_array(r.parent_id, '+') @> ARRAY[%(of_user)s::text])
        OR (r.kind IN ('conversation', 'conversation_backup')
            AND string_to_array(r.state ->> 'owner', '+') @> ARRAY[%(of_user)s::text])
        OR (r.user_id = %(user_id)s
            AND (r.kind <> ALL (%(shared_kinds)s::text[])
                 OR (r.kind = 'memory'
                     AND NOT EXISTS (SELECT FROM memories m WHERE m.org_id = %(org_id)s AND m.id = r.object_id))
                 OR (r.kind = 'node'
                     AND NOT EXISTS (SELECT FROM nodes n WHERE n.org_id = %(org_id)s AND n.id = r.object_id))
                 OR (r.kind = 'node_item'
                     AND NOT EXISTS (SELECT FROM node_items i WHERE i.org_id = %(org_id)s AND i.id = r.object_id))
                 OR (r.kind = 'node_edge'
                     AND NOT EXISTS (SELECT FROM node_edges e WHERE e.org_id = %(org_id)s AND e.id = r.object_id))
                 OR (r.kind = 'asset'
                     AND NOT EXISTS (SELECT FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.id = r.object_id))
                 OR (r.kind IN ('store', 'store_entry')
                     AND NOT EXISTS (SELECT FROM memory_stores s
                                      WHERE s.org_id = %(org_id)s AND s.id = coalesce(r.parent_id, r.object_id))))))
RETURNING r.id;
