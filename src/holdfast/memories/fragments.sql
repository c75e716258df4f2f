-- Texts that the statements about memories share.

-- fragment: memory_columns
m.id, m.key, m.value, m.summary, m.category, m.tags, m.importance, m.pinned, m.expires_at, m.source, m.scope, m.user_id,
       m.project_id, m.agent_id, m.session_id, m.workspace_id, m.sources, m.valid_from, m.valid_to, m.superseded_by,
       m.trust, m.version, m.created_at, m.updated_at

-- fragment: memory_row
-- A whole memory, with the assets and the nodes that the caller sees. Few have any: a look into the index takes a fifth of a
-- call of the functions.
{memory_columns},
       CASE WHEN EXISTS (SELECT FROM memory_assets a WHERE a.org_id = %(org_id)s AND a.memory_id = m.id)
            THEN assets_of(m.id) ELSE '[]' END AS assets,
       CASE WHEN EXISTS (SELECT FROM node_items i WHERE i.org_id = %(org_id)s AND i.memory_id = m.id)
            THEN node_ids_of({by}, m.id) ELSE '{}' END AS node_ids

-- fragment: settable
-- What a save or a PATCH sets besides key and value.
summary, category, tags, importance, pinned, expires_at, source, valid_from, valid_to, superseded_by, trust

-- fragment: not_expired
(%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)

-- fragment: next_version
version = m.version + 1, updated_at = later(m.updated_at, %(now)s)

-- fragment: changed_row
-- The row that a change of one memory names, unless it has expired or If-Match names another version.
m.org_id = %(org_id)s AND m.id = %(id)s AND {not_expired} AND matches(m.version, %(if_match)s)

-- fragment: filters
-- The filters of a list, on a row `f` as it stood at the instant `at`.
(%(scope)s::text IS NULL OR f.scope = %(scope)s)
                 AND (%(category)s::text IS NULL OR f.category = %(category)s)
                 AND (%(tag)s::text IS NULL OR %(tag)s = ANY (f.tags))
                 AND (%(source)s::text IS NULL OR f.source = %(source)s)
                 AND (%(project_id)s::text IS NULL OR f.project_id = %(project_id)s)
                 AND (%(agent_id)s::text IS NULL OR f.agent_id = %(agent_id)s)
                 AND (%(session_id)s::text IS NULL OR f.session_id = %(session_id)s)
                 AND (%(pinned)s::boolean IS NULL OR f.pinned = %(pinned)s)
                 AND (%(min_importance)s::int IS NULL OR f.importance >= %(min_importance)s)
                 AND trusted(f.trust, %(min_trust)s)
                 AND (%(include_expired)s OR coalesce(f.expires_at, 'infinity') > %(at)s)
                 AND (%(include_expired)s OR coalesce(f.valid_to, 'infinity') > %(at)s
                      OR (%(include_superseded)s AND f.superseded_by IS NOT NULL))  -- it ended when it was superseded
                 AND (%(include_superseded)s OR f.superseded_by IS NULL)
