-- The functions of memories and nodes.

-- Folds a name so that names compare equal whatever their case and accents. unaccent() itself is only STABLE, since its dictionary could be changed;
-- naming the dictionary is what makes it safe to promise more.
CREATE OR REPLACE FUNCTION folded(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(public.unaccent('public.unaccent'::regdictionary,
                 regexp_replace(normalize(btrim(regexp_replace(name, '\s+', ' ', 'g')), NFKD), '[\u0300-\u036f]', '', 'g')));

CREATE OR REPLACE FUNCTION wire_time(at timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- --- sight: what memories and nodes add to the kernel's rule ---------------------------------------------------------

-- Every audience whose objects a caller sees by naming them, as `sees` has it: for statements that walk over many rows,
-- where calling `sees` for each would cost more than one list.
CREATE OR REPLACE FUNCTION audiences_seen(by_user text, by_agent text, by_project text, by_workspace text, by_run text)
    RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN audiences(by_user, by_agent, by_project, by_workspace, by_run)
        || ARRAY(SELECT 'project:' || p.id
                   FROM projects p
                  WHERE p.org_id = current_org() AND by_user IS NOT NULL
                    AND p.workspace_id = by_workspace AND p.visibility = 'team');

-- Whether a caller sees a memory or a node: by its audience, and by the workspace where the org has workspaces enabled.
CREATE OR REPLACE FUNCTION sees_here(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, audience text, workspace text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN sees(by_user, by_agent, by_project, by_workspace, by_run, audience) AND in_workspace(by_workspace, workspace);

-- The scopes of recall in which memories and items of nodes lie for these audiences.
CREATE OR REPLACE FUNCTION memory_scopes(audiences text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT 'memory/' || a FROM unnest(audiences) a WHERE a = 'org' OR a ~ '^(user|agent|project):[^+]+$');

-- The workspace that reads are held to: the active one where the org has workspaces enabled, else none.
CREATE OR REPLACE FUNCTION active_workspace(by_workspace text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN workspaces_enabled() THEN by_workspace END;

-- Whether a caller sees an item of a node that it sees: an item with a memory only where it sees that memory now.
CREATE OR REPLACE FUNCTION sees_item(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, at timestamptz, memory text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN memory IS NULL OR EXISTS (
        SELECT FROM memories m
         WHERE m.org_id = current_org() AND m.id = memory
           AND sees_here(by_user, by_agent, by_project, by_workspace, by_run, m.audience, m.workspace_id)
           AND (m.expires_at IS NULL OR m.expires_at > at));

-- The items of a node that a caller sees, oldest first.
CREATE OR REPLACE FUNCTION items_seen(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, at timestamptz, node text
) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'id', i.id, 'content', i.content, 'source', i.source, 'memory_id', i.memory_id,
                       'created_at', wire_time(i.created_at)) ORDER BY i.id), '[]')
              FROM node_items i
              LEFT JOIN memories m ON m.org_id = i.org_id AND m.id = i.memory_id
             WHERE i.org_id = current_org() AND i.node_id = node
               AND (i.memory_id IS NULL
                    OR (m.audience = ANY ((SELECT audiences_seen(by_user, by_agent, by_project, by_workspace, by_run))::text[])
                        AND in_workspace(by_workspace, m.workspace_id)
                        AND (m.expires_at IS NULL OR m.expires_at > at))));

-- --- parts of a row ------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION assets_of(memory text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'id', a.id, 'name', a.name, 'content_type', a.content_type, 'size', a.size, 'sha256', a.sha256,
                       'created_at', wire_time(a.created_at)) ORDER BY a.id), '[]')
              FROM memory_assets a
             WHERE a.org_id = current_org() AND a.memory_id = memory);

-- The nodes with an item of a memory, as far as a caller sees them.
CREATE OR REPLACE FUNCTION node_ids_of(
    by_user text, by_agent text, by_project text, by_workspace text, by_run text, memory text
) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT n.id
                   FROM node_items i
                   JOIN nodes n ON n.org_id = i.org_id AND n.id = i.node_id
                  WHERE i.org_id = current_org() AND i.memory_id = memory
                    AND sees_here(by_user, by_agent, by_project, by_workspace, by_run, n.audience, n.workspace_id)
                  ORDER BY n.id);

-- Whether a memory's trust is at least the one asked for; NULL asks for none. The order of model.TRUSTS.
CREATE OR REPLACE FUNCTION trusted(trust text, min_trust text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN min_trust IS NULL
        OR array_position(ARRAY['user', 'assistant', 'tool', 'import'], trust)
           <= array_position(ARRAY['user', 'assistant', 'tool', 'import'], min_trust);

-- A list of sources with others added; one that is there already takes the newer quote.
CREATE OR REPLACE FUNCTION with_sources(old jsonb, new jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN new IS NULL OR new = '[]' THEN old ELSE
        (SELECT coalesce(jsonb_agg(o.source ORDER BY o.place), '[]')
           FROM jsonb_array_elements(old) WITH ORDINALITY AS o (source, place)
          WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(new) AS n (source)
                             WHERE n.source->'kind' = o.source->'kind' AND n.source->'ref' = o.source->'ref')) || new END;

CREATE OR REPLACE FUNCTION without_source(old jsonb, kind text, ref text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(o.source ORDER BY o.place), '[]')
              FROM jsonb_array_elements(old) WITH ORDINALITY AS o (source, place)
             WHERE NOT ((kind IS NULL OR o.source->>'kind' = kind) AND (ref IS NULL OR o.source->>'ref' = ref)));
