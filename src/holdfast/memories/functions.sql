-- The functions of memories and nodes.

-- Names meet whatever their case and accents. unaccent() itself is only STABLE, since its dictionary could be changed;
-- naming the dictionary is what makes it safe to promise more.
CREATE OR REPLACE FUNCTION folded(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(public.unaccent('public.unaccent'::regdictionary,
                 regexp_replace(normalize(btrim(regexp_replace(name, '\s+', ' ', 'g')), NFKD), '[\u0300-\u036f]', '', 'g')));

CREATE OR REPLACE FUNCTION wire_time(at timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- --- the rule of sight for memories ---------------------------------------------------------------------------------

-- The contexts that a caller reads without asking for one: its own, those of its projects, and those of the place it
-- speaks from (which was entered, so it may be there). A name it does not have adds nothing.
CREATE OR REPLACE FUNCTION memory_contexts(by_user text, by_agent text, by_project text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(
        SELECT 'global:' || by_user WHERE by_user IS NOT NULL
        UNION SELECT 'agent:' || by_agent WHERE by_agent IS NOT NULL
        UNION SELECT 'project:' || by_project WHERE by_project IS NOT NULL
        UNION SELECT 'project:' || m.project_id FROM project_members m
               WHERE m.org_id = current_org() AND m.user_id = by_user);

-- Whether a caller may see one memory that it names: the contexts above, and any team project for a user.
CREATE OR REPLACE FUNCTION sees_memory(by_user text, by_agent text, by_project text, context text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN context = ANY (memory_contexts(by_user, by_agent, by_project))
        OR (by_user IS NOT NULL AND starts_with(context, 'project:')
            AND EXISTS (SELECT FROM projects p
                         WHERE p.org_id = current_org() AND p.id = substr(context, length('project:') + 1)
                           AND p.visibility = 'team'));

-- The workspace that reads are held to: the active one where the org has workspaces enabled, else none.
CREATE OR REPLACE FUNCTION active_workspace(by_workspace text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT by_workspace FROM orgs o WHERE o.org_id = current_org() AND o.workspaces_enabled);

-- Whether a caller may see a node's item: one that comes of a memory is there for those who see that memory now.
CREATE OR REPLACE FUNCTION sees_item(
    by_user text, by_agent text, by_project text, by_workspace text, at timestamptz, memory text
) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN memory IS NULL OR EXISTS (
        SELECT FROM memories m
         WHERE m.org_id = current_org() AND m.id = memory
           AND sees_memory(by_user, by_agent, by_project, m.context)
           AND m.workspace_id = coalesce(active_workspace(by_workspace), m.workspace_id)
           AND (m.expires_at IS NULL OR m.expires_at > at));

-- The items of a node that a caller may see, oldest first.
CREATE OR REPLACE FUNCTION items_seen(
    by_user text, by_agent text, by_project text, by_workspace text, at timestamptz, node text
) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'id', i.id, 'content', i.content, 'source', i.source, 'memory_id', i.memory_id,
                       'created_at', wire_time(i.created_at)) ORDER BY i.id), '[]')
              FROM node_items i
             WHERE i.org_id = current_org() AND i.node_id = node
               AND sees_item(by_user, by_agent, by_project, by_workspace, at, i.memory_id));

-- --- parts of a row ------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION assets_of(memory text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'id', a.id, 'name', a.name, 'content_type', a.content_type, 'size', a.size, 'sha256', a.sha256,
                       'created_at', wire_time(a.created_at)) ORDER BY a.id), '[]')
              FROM memory_assets a
             WHERE a.org_id = current_org() AND a.memory_id = memory);

CREATE OR REPLACE FUNCTION nodes_of(memory text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT i.node_id FROM node_items i
                  WHERE i.org_id = current_org() AND i.memory_id = memory ORDER BY i.node_id);

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
