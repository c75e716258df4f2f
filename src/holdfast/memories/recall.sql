-- name: recall_sight
-- The audiences that a caller belongs to, the scopes in which their passages lie, and the workspace that its reads are
-- held to; and what recall must know of these scopes before a query is embedded.
SELECT seen.audiences, seen.scopes, active_workspace(%(by_workspace)s) AS workspace_id, begun.names, begun.model,
       begun.weights, begun.underway
  FROM (SELECT a.audiences, memory_scopes(a.audiences) AS scopes
          FROM (SELECT audiences({by}) AS audiences OFFSET 0) a OFFSET 0) seen
 CROSS JOIN LATERAL recall_begin(%(org_id)s, seen.scopes, %(words)s) begun;

-- name: recall_what_is_seen
-- What a query brings up in the scopes and the workspace of recall_sight; sent together with it.
SELECT {candidate_columns}
  FROM recall_candidates(%(org_id)s, memory_scopes(audiences({by})), %(kinds)s, active_workspace(%(by_workspace)s),
                         {candidate_params});

-- name: recall_sight_and_words
-- recall_sight, and what the words of the query bring up there, which is kept for recall_kept in the same transaction: sent while
-- the query is being embedded.
SELECT seen.audiences, seen.scopes, seen.workspace_id, begun.names, begun.model, begun.weights, begun.underway
  FROM (SELECT a.audiences, memory_scopes(a.audiences) AS scopes, active_workspace(%(by_workspace)s) AS workspace_id
          FROM (SELECT audiences({by}) AS audiences OFFSET 0) a OFFSET 0) seen
 CROSS JOIN LATERAL recall_begin(%(org_id)s, seen.scopes, %(words)s) begun
 CROSS JOIN LATERAL recall_words_ahead(%(org_id)s, seen.scopes, seen.workspace_id, %(text)s, %(literals)s) ahead;

-- name: recall_kept
-- What a query brings up in the scopes and the workspace of recall_sight_and_words, which kept them.
-- sight: the scopes are those of the audiences that recall_sight_and_words was given, in the same transaction.
SELECT {candidate_columns}
  FROM recall_candidates(%(org_id)s, NULL, %(kinds)s, NULL, {candidate_params});

-- name: recall_sight_alone
-- The same without what recall must know: for a call that looks through other faces too, and begins once for all.
SELECT a.audiences, memory_scopes(a.audiences) AS scopes, active_workspace(%(by_workspace)s) AS workspace_id,
       '{}'::text[] AS names, NULL::text AS model, NULL::jsonb AS weights, NULL::bigint AS underway
  FROM (SELECT audiences({by}) AS audiences OFFSET 0) a;

-- name: memories_to_index
-- sight: for the index, which keeps each row's audience.
SELECT {memory_columns}, '[]'::jsonb AS assets, '{}'::text[] AS node_ids
  FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = ANY (%(ids)s) AND m.superseded_by IS NULL;

-- name: said_before
-- What was said just before each of these in its session, for the index alone; ids that are yet to come are '~'.
-- sight: of the same scope and session as what is being indexed, and never shown.
SELECT given.place, m.id, m.source, right(m.value, 400) AS value
  FROM unnest(%(scopes)s::text[], %(sessions)s::text[], %(ids)s::text[]) WITH ORDINALITY given (scope, session_id, id, place)
  JOIN memories m ON m.org_id = %(org_id)s AND m.id = recall_previous(%(org_id)s, given.scope, given.session_id, given.id);

-- name: session_and_said
-- A row for the session that a save names, where the caller may speak from it, and one for what was said there last, for the
-- index alone.
-- sight: sees_session in seen_session; what was said is of the scope of the memory that is being saved, and never shown.
SELECT true AS is_session, s.agent_id, s.project_id, NULL AS source, NULL AS value
  FROM ({seen_session}) s
UNION ALL
SELECT false, NULL, NULL, m.source, right(m.value, 400)
  FROM memories m
 WHERE m.org_id = %(org_id)s AND m.id = recall_previous(%(org_id)s, %(index_scope)s, %(session_id)s, %(yet_to_come)s);

-- name: recalled_memories
-- The index brought these up; the rows are read under the policy, and the rule of sight holds once more.
-- sight: `audiences` are those that recall_sight gave.
SELECT {memory_row}
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND m.audience = ANY (%(audiences)s)
   AND (%(workspace_id)s::text IS NULL OR m.workspace_id = %(workspace_id)s)
   AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
   AND (m.valid_to IS NULL OR m.valid_to > %(now)s)
   AND m.superseded_by IS NULL;

-- name: asked_about
-- What became of memories that a caller asks about and sees.
SELECT m.id,
       (m.expires_at <= %(now)s OR m.valid_to <= %(now)s) IS TRUE AS expired,
       m.superseded_by IS NOT NULL AS superseded
  FROM memories m
 WHERE m.org_id = %(org_id)s
   AND m.id = ANY (%(ids)s)
   AND sees_here({by}, m.audience, m.workspace_id);
