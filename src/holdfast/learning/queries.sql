-- fragment: proposal
p.id, p.action, p.target, p.block_type, p.scope, p.key, p.content, p.before, p.supersedes, p.kind, p.confidence, p.trust,
       p.reason, p.sources, p.valid_from, p.status, p.extractor, p.job_id, p.session_id, p.agent_id, p.project_id, p.result,
       p.version, p.created_at, p.updated_at, p.user_id, p.workspace_id, p.audience, p.subject, p.attribute, p.value, p.related

-- --- one run of learning -------------------------------------------------------------------------------------------------

-- name: lock_owner
-- Learning for one user happens one after the other, so that two sessions do not add the same fact twice.
-- sight: takes a lock and reads nothing
SELECT pg_advisory_xact_lock(hashtextextended('learning ' || %(org_id)s || ' ' || %(audience)s, 0));

-- name: read_settings
-- sight: the org's own settings
SELECT review_extractions, redact_patterns FROM orgs WHERE org_id = %(org_id)s;

-- name: facts_held
-- What learning wrote for an owner and still stands, newest first. Whether a line still stands, its block tells.
-- sight: the owner is the user or agent that the caller acts for
SELECT f.id, f.place, f.object_id, f.kind, f.content, f.subject, f.attribute, f.value, f.confidence, f.trust, f.said_at,
       p.sources, p.related, p.key, p.scope, p.block_type,
       CASE WHEN p.target = 'block' AND p.scope = 'user' THEN NULL ELSE p.agent_id END AS agent_id,
       ARRAY(SELECT s.conversation || ' ' || s.message_id
               FROM learned_sources s
              WHERE s.org_id = %(org_id)s AND s.fact_id = f.id) AS messages
  FROM learned_facts f
  JOIN proposals p ON p.org_id = f.org_id AND p.id = f.id
 WHERE f.org_id = %(org_id)s AND f.audience = %(audience)s AND f.ended_at IS NULL
   AND CASE f.place
       WHEN 'memory' THEN EXISTS (SELECT FROM memories m
                                   WHERE m.org_id = %(org_id)s AND m.id = f.object_id AND m.superseded_by IS NULL
                                     AND coalesce(least(m.expires_at, m.valid_to), 'infinity') > %(now)s)
       WHEN 'entry' THEN EXISTS (SELECT FROM entries e WHERE e.org_id = %(org_id)s AND e.id = f.object_id)
       WHEN 'node_item' THEN EXISTS (SELECT FROM node_items i WHERE i.org_id = %(org_id)s AND i.id = f.object_id)
       ELSE true END
 ORDER BY f.id DESC
 LIMIT %(limit)s;

-- name: sources_learned
-- Which of these messages were learned from: each message, quote and slot, and the proposal that it went to.
-- sight: the owner is the user or agent that the caller acts for
SELECT s.message_id, s.quote_digest, s.slot, s.proposal_id
  FROM learned_sources s
 WHERE s.org_id = %(org_id)s AND s.audience = %(audience)s AND s.conversation = %(conversation)s
   AND s.message_id = ANY (%(message_ids)s);

-- name: edited_by_people
-- When somebody other than a job last changed each of these objects.
-- sight: the objects were read under the rule of their face
SELECT r.object_id, max(r.created_at) AS at
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.kind = %(kind)s AND r.object_id = ANY (%(ids)s) AND r.actor_type <> 'job'
 GROUP BY r.object_id;

-- name: insert_proposal
-- sight: makes a row for the names that the caller carries
INSERT INTO proposals (org_id, id, user_id, agent_id, project_id, session_id, workspace_id, job_id, extractor, action, target,
                       block_type, scope, key, content, before, supersedes, kind, subject, attribute, value, related,
                       confidence, trust, reason, sources, valid_from, status, result, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(user_id)s, %(agent_id)s, %(project_id)s, %(session_id)s, %(workspace_id)s, %(job_id)s,
        %(extractor)s, %(action)s, %(target)s, %(block_type)s, %(scope)s, %(key)s, %(content)s, %(before)s, %(supersedes)s,
        %(kind)s, %(subject)s, %(attribute)s, %(value)s, %(related)s, %(confidence)s, %(trust)s, %(reason)s, %(sources)s,
        %(valid_from)s, %(status)s, %(result)s, %(now)s, %(now)s);

-- name: insert_fact
-- sight: makes a row for the owner that the caller acts for
INSERT INTO learned_facts (org_id, id, audience, place, object_id, kind, content, subject, attribute, value, confidence, trust,
                           said_at)
VALUES (%(org_id)s, %(id)s, %(audience)s, %(place)s, %(object_id)s, %(kind)s, %(content)s, %(subject)s, %(attribute)s,
        %(value)s, %(confidence)s, %(trust)s, %(said_at)s)
ON CONFLICT (org_id, id) DO UPDATE
   SET place = excluded.place, object_id = excluded.object_id, content = excluded.content, ended_at = NULL;

-- name: insert_source
-- sight: makes a row for the owner that the caller acts for
INSERT INTO learned_sources (org_id, audience, conversation, message_id, quote_digest, slot, proposal_id, fact_id)
VALUES (%(org_id)s, %(audience)s, %(conversation)s, %(message_id)s, %(quote_digest)s, %(slot)s, %(proposal_id)s, %(fact_id)s)
ON CONFLICT DO NOTHING;

-- name: move_fact
-- sight: the fact was read for its owner
UPDATE learned_facts
   SET place = %(place)s, object_id = %(object_id)s
 WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: end_facts
-- sight: the facts were read for their owner
UPDATE learned_facts SET ended_at = %(now)s WHERE org_id = %(org_id)s AND id = ANY (%(ids)s) AND ended_at IS NULL;

-- name: link_sources
-- The sources of a proposal support the statement that it became.
-- sight: the proposal was read for the caller
UPDATE learned_sources SET fact_id = %(fact_id)s WHERE org_id = %(org_id)s AND proposal_id = %(proposal_id)s;

-- name: pending_of
-- sight: the owner is the user or agent that the caller acts for
SELECT p.id, p.content AS text, p.subject, p.attribute, p.value
  FROM proposals p
 WHERE p.org_id = %(org_id)s AND p.audience = %(audience)s AND p.status = 'pending'
 ORDER BY p.id DESC
 LIMIT %(limit)s;

-- --- proposals -----------------------------------------------------------------------------------------------------------

-- name: read_proposal
SELECT {proposal}
  FROM proposals p
 WHERE p.org_id = %(org_id)s AND p.id = %(id)s
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, p.audience)
   AND in_workspace(%(by_workspace)s, p.workspace_id) AND not_of_another_agent(%(key_agent)s, p.agent_id);

-- name: hold_proposals
-- The proposals that a caller decides over, held until the decision is written; in one order, so that two who decide over
-- the same ones wait for each other.
SELECT {proposal}
  FROM proposals p
 WHERE p.org_id = %(org_id)s AND p.id = ANY (%(ids)s)
   AND sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, p.audience)
   AND in_workspace(%(by_workspace)s, p.workspace_id) AND not_of_another_agent(%(key_agent)s, p.agent_id)
 ORDER BY p.id
   FOR UPDATE OF p;

-- name: list_proposals
SELECT {proposal}
  FROM proposals p
 WHERE p.org_id = %(org_id)s
   AND p.audience = ANY (audiences(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s))
   AND in_workspace(%(by_workspace)s, p.workspace_id) AND not_of_another_agent(%(key_agent)s, p.agent_id)
   AND (%(status)s::text IS NULL OR p.status = %(status)s)
   AND (%(action)s::text IS NULL OR p.action = %(action)s)
   AND (%(job_id)s::text IS NULL OR p.job_id = %(job_id)s)
   AND (%(session_id)s::text IS NULL OR p.session_id = %(session_id)s)
   AND p.id < %(older_than)s
   AND p.id > %(newer_than)s
 ORDER BY p.id DESC
 LIMIT %(limit)s;

-- name: update_proposal
-- sight: the proposal was read, and is held, for the caller
UPDATE proposals p
   SET content = %(content)s, target = %(target)s, block_type = %(block_type)s, scope = %(scope)s, key = %(key)s,
       status = %(status)s, result = %(result)s, reason = %(reason)s, version = p.version + 1,
       updated_at = later(p.updated_at, %(now)s)
 WHERE p.org_id = %(org_id)s AND p.id = %(id)s
RETURNING {proposal};

-- name: job_proposals
-- sight: the job is the caller's own
SELECT {proposal}
  FROM proposals p
 WHERE p.org_id = %(org_id)s AND p.job_id = %(job_id)s
 ORDER BY p.id;

-- name: revert_proposals
-- sight: the proposals are of a job that the caller sees
UPDATE proposals
   SET status = 'reverted', version = version + 1, updated_at = later(updated_at, %(now)s)
 WHERE org_id = %(org_id)s AND id = ANY (%(ids)s) AND status = 'applied';

-- name: node_of_item
-- sight: the item is of the owner that the caller acts for
SELECT node_id FROM node_items WHERE org_id = %(org_id)s AND id = %(id)s;

-- --- sessions ------------------------------------------------------------------------------------------------------------

-- name: note_appended
-- Counts messages that were appended to a conversation of a session, and marks the session as active once they are there.
-- Gives the number of messages of the session that were not learned from.
-- sight: the append entered the session
WITH counted AS (
    INSERT INTO session_progress AS g (org_id, session_id, resource_id, key, unlearned)
    VALUES (%(org_id)s, %(session_id)s, %(resource_id)s, %(key)s, %(number)s)
    ON CONFLICT (org_id, session_id, resource_id, key) DO UPDATE SET unlearned = g.unlearned + excluded.unlearned
    RETURNING g.resource_id, g.key, g.unlearned
), touched AS (
    UPDATE sessions
       SET last_activity_at = later(last_activity_at, %(now)s)
     WHERE org_id = %(org_id)s AND id = %(session_id)s
)
SELECT (coalesce(sum(g.unlearned) FILTER (WHERE (g.resource_id, g.key) <> (%(resource_id)s, %(key)s)), 0)
        + (SELECT unlearned FROM counted))::int
  FROM session_progress g
 WHERE g.org_id = %(org_id)s AND g.session_id = %(session_id)s;

-- name: sessions_with
-- The sessions with messages in an instance that were not learned from yet.
-- sight: the flush entered the instance
SELECT s.id, s.user_id, s.agent_id, s.project_id, s.workspace_id, s.last_activity_at, s.learned_until, s.settle_job
  FROM session_conversations c
  JOIN sessions s ON s.org_id = c.org_id AND s.id = c.session_id
 WHERE c.org_id = %(org_id)s AND c.resource_id = %(resource_id)s AND c.key = %(key)s
   AND (s.learned_until IS NULL OR s.learned_until < s.last_activity_at)
   AND s.user_id IS NOT DISTINCT FROM %(user_id)s;

-- name: session_to_settle
-- sight: named by a job, or read for the caller before
SELECT s.id, s.user_id, s.agent_id, s.workspace_id, s.last_activity_at, s.learned_until, s.settle_job,
       CASE WHEN sees_project(s.user_id, s.workspace_id, s.project_id) THEN s.project_id END AS project_id
  FROM sessions s
 WHERE s.org_id = %(org_id)s AND s.id = %(session_id)s;

-- name: hold_session
-- The session, held until the transaction ends, with the status of the job that was asked to settle it last.
-- sight: named by a job, or read for the caller before
SELECT s.settle_job AS job_id, j.status
  FROM sessions s
  LEFT JOIN (SELECT id, status FROM jobs WHERE org_id = %(org_id)s) j ON j.id = s.settle_job
 WHERE s.org_id = %(org_id)s AND s.id = %(session_id)s
   FOR UPDATE OF s;

-- name: set_settle_job
-- sight: the session is held
UPDATE sessions SET settle_job = %(job_id)s WHERE org_id = %(org_id)s AND id = %(session_id)s;

-- name: conversations_of
-- The conversations of a session, and the last message of each that was learned from.
-- sight: named by a job, or read for the caller before
SELECT c.resource_id, c.key, g.message_id
  FROM session_conversations c
  LEFT JOIN session_progress g
    ON g.org_id = c.org_id AND g.session_id = c.session_id AND g.resource_id = c.resource_id AND g.key = c.key
 WHERE c.org_id = %(org_id)s AND c.session_id = %(session_id)s
 ORDER BY c.resource_id, c.key;

-- name: hold_progress
-- The last message that was learned from, held until the transaction ends.
-- sight: named by a job, or read for the caller before
SELECT g.message_id
  FROM session_progress g
 WHERE g.org_id = %(org_id)s AND g.session_id = %(session_id)s AND g.resource_id = %(resource_id)s AND g.key = %(key)s
   FOR UPDATE;

-- name: move_progress
-- sight: named by a job, or read for the caller before
INSERT INTO session_progress AS g (org_id, session_id, resource_id, key, message_id, unlearned, settled_at)
VALUES (%(org_id)s, %(session_id)s, %(resource_id)s, %(key)s, %(message_id)s, 0, %(now)s)
ON CONFLICT (org_id, session_id, resource_id, key) DO UPDATE
   SET message_id = excluded.message_id, unlearned = greatest(0, g.unlearned - %(number)s), settled_at = excluded.settled_at;

-- name: mark_settled
-- `learned_until` is the last activity before the messages were read: one that came since leaves the session unsettled.
-- sight: named by a job
UPDATE sessions s
   SET settled_at = %(now)s, learned_until = greatest(s.learned_until, %(activity)s), version = s.version + 1,
       settle_job = CASE WHEN s.settle_job = %(job_id)s THEN NULL ELSE s.settle_job END,
       updated_at = later(s.updated_at, %(now)s)
 WHERE s.org_id = %(org_id)s AND s.id = %(session_id)s;

-- name: count_proposals
-- sight: the job is the caller's own
SELECT action, status, count(*)::int AS number
  FROM proposals
 WHERE org_id = %(org_id)s AND job_id = %(job_id)s
 GROUP BY action, status
 ORDER BY action, status;

-- name: rested
SELECT org_id, session_id, user_id, agent_id, workspace_id FROM rested_sessions(%(before)s);

-- name: orgs_with_given_texts
SELECT org_id FROM given_texts_to_sweep(%(before)s) AS org_id;

-- --- undoing a job -------------------------------------------------------------------------------------------------------

-- name: changes_of_job
-- Every object that a job changed: its first and last version by the job, how many there were, the newest one, and what names
-- the object to its face.
-- sight: the job was read under it
SELECT r.kind, r.object_id, min(r.version) AS first, max(r.version) AS last, count(*)::int AS number,
       (SELECT max(v.version) FROM revisions v
         WHERE v.org_id = %(org_id)s AND v.kind = r.kind AND v.object_id = r.object_id) AS newest,
       (array_agg(r.action ORDER BY r.version DESC))[1] AS action,
       (array_agg(r.label ORDER BY r.version DESC))[1] AS label,
       (array_agg(r.parent_id ORDER BY r.version DESC))[1] AS parent_id,
       (array_agg(r.state ->> 'node_id' ORDER BY r.version))[1] AS node_id
  FROM revisions r
 WHERE r.org_id = %(org_id)s AND r.actor_type = 'job' AND r.actor_id = %(job_id)s
   AND r.kind IN ('block', 'memory', 'entry', 'node', 'node_item', 'node_edge')
 GROUP BY r.org_id, r.kind, r.object_id
 ORDER BY r.kind, r.object_id;

-- name: block_by_id
-- sight: the block is of the user that the caller acts for
SELECT b.user_id, b.agent_id, b.block_type, b.updated_at, b.deleted_at IS NOT NULL AS is_deleted
  FROM blocks b
 WHERE b.org_id = %(org_id)s AND b.id = %(id)s AND b.user_id = %(user_id)s;

-- name: facts_back
-- Facts that stand on the lines of a block that was brought back.
-- sight: the owner is the user that the caller acts for
UPDATE learned_facts
   SET place = 'line', object_id = %(object_id)s, ended_at = NULL
 WHERE org_id = %(org_id)s AND audience = %(audience)s AND content = ANY (%(lines)s) AND NOT id = ANY (%(not_ids)s);

-- name: fact_back
-- sight: the object was brought back under the rule of its face
UPDATE learned_facts SET ended_at = NULL
 WHERE org_id = %(org_id)s AND object_id = %(object_id)s AND NOT id = ANY (%(not_ids)s);
