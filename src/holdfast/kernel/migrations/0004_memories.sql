-- Memories: rows recalled per query, what is attached to them, the node graph beside them, and learning insights.

CREATE TABLE memories (
    org_id         text NOT NULL,
    id             text NOT NULL,
    key            text NOT NULL,
    value          text NOT NULL,
    summary        text,
    category       text NOT NULL,
    tags           text[] NOT NULL,
    importance     smallint NOT NULL,
    pinned         boolean NOT NULL,
    expires_at     timestamptz,
    source         text NOT NULL,
    scope          text NOT NULL CHECK (scope IN ('global', 'project', 'agent')),
    user_id        text,                -- the first writer
    project_id     text,
    agent_id       text,
    session_id     text,
    workspace_id   text NOT NULL,
    sources        jsonb NOT NULL DEFAULT '[]',
    valid_from     timestamptz,
    valid_to       timestamptz,
    superseded_by  text,
    -- Whose it is, in one word: this and the workspace are all that sight looks at.
    context        text NOT NULL GENERATED ALWAYS AS (
                       scope || ':' || CASE scope WHEN 'global' THEN user_id WHEN 'project' THEN project_id ELSE agent_id END
                   ) STORED,
    holds_key      boolean NOT NULL DEFAULT true,  -- the row that the next save of its key updates
    version        integer NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
-- Settles who creates when many save one key at once. A forced new row takes the key over.
CREATE UNIQUE INDEX memories_by_key ON memories (org_id, context, workspace_id, key) WHERE holds_key;
CREATE INDEX memories_by_context ON memories (org_id, context, id);
CALL wall_off('memories');

CREATE TABLE memory_assets (
    org_id        text NOT NULL,
    id            text NOT NULL,
    memory_id     text NOT NULL,
    name          text NOT NULL,
    content_type  text NOT NULL,
    size          bigint NOT NULL,
    sha256        text NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, memory_id) REFERENCES memories ON DELETE CASCADE
);
CREATE INDEX memory_assets_by_memory ON memory_assets (org_id, memory_id, id);
CALL wall_off('memory_assets');

-- Names meet whatever their case and accents. unaccent() itself is only STABLE, since its dictionary could be changed;
-- naming the dictionary is what makes it safe to promise more.
CREATE FUNCTION folded(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(public.unaccent('public.unaccent'::regdictionary,
                 regexp_replace(normalize(btrim(regexp_replace(name, '\s+', ' ', 'g')), NFKD), '[\u0300-\u036f]', '', 'g')));

CREATE TABLE nodes (
    org_id        text NOT NULL,
    id            text NOT NULL,
    workspace_id  text NOT NULL,
    name          text NOT NULL,
    kind          text NOT NULL,
    aliases       text[] NOT NULL,
    summary       text,
    merged_into   text,               -- this id answers with that node
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX nodes_merged ON nodes (org_id, merged_into) WHERE merged_into IS NOT NULL;
CALL wall_off('nodes');

-- Every name a node answers to, its aliases too: one node per name within a kind, settled by the key.
CREATE TABLE node_names (
    org_id        text NOT NULL,
    workspace_id  text NOT NULL,
    kind          text NOT NULL,
    folded        text NOT NULL,
    node_id       text NOT NULL,
    PRIMARY KEY (org_id, workspace_id, kind, folded),
    FOREIGN KEY (org_id, node_id) REFERENCES nodes ON DELETE CASCADE
);
CREATE INDEX node_names_by_node ON node_names (org_id, node_id);
CALL wall_off('node_names');

CREATE TABLE node_items (
    org_id      text NOT NULL,
    id          text NOT NULL,
    node_id     text NOT NULL,
    content     text NOT NULL,
    source      text NOT NULL,
    memory_id   text,                 -- shown only to those who see that memory, and erased with it
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, node_id) REFERENCES nodes ON DELETE CASCADE
);
CREATE INDEX node_items_by_node ON node_items (org_id, node_id, id);
CREATE INDEX node_items_by_memory ON node_items (org_id, memory_id, node_id) WHERE memory_id IS NOT NULL;
CALL wall_off('node_items');

CREATE TABLE node_edges (
    org_id      text NOT NULL,
    id          text NOT NULL,
    from_id     text NOT NULL,
    to_id       text NOT NULL,
    relation    text NOT NULL,
    weight      double precision NOT NULL,
    valid_from  timestamptz,
    valid_to    timestamptz,
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, from_id, to_id, relation),
    FOREIGN KEY (org_id, from_id) REFERENCES nodes ON DELETE CASCADE,
    FOREIGN KEY (org_id, to_id) REFERENCES nodes ON DELETE CASCADE
);
CREATE INDEX node_edges_by_end ON node_edges (org_id, to_id);
CALL wall_off('node_edges');

CREATE TABLE insights (
    org_id      text NOT NULL,
    id          text NOT NULL,
    user_id     text NOT NULL,
    category    text NOT NULL,
    insight     text NOT NULL,
    source      text NOT NULL,
    confidence  double precision NOT NULL,
    metadata    jsonb NOT NULL,
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX insights_by_user ON insights (org_id, user_id, id);
CALL wall_off('insights');

CREATE FUNCTION wire_time(at timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- --- the rule of sight for memories, said once ---------------------------------------------------------------------

-- The contexts that a caller reads without asking for one: its own, those of its projects, and those of the place it
-- speaks from (which was entered, so it may be there). A name it does not have adds nothing.
CREATE FUNCTION memory_contexts(by_user text, by_agent text, by_project text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(
        SELECT 'global:' || by_user WHERE by_user IS NOT NULL
        UNION SELECT 'agent:' || by_agent WHERE by_agent IS NOT NULL
        UNION SELECT 'project:' || by_project WHERE by_project IS NOT NULL
        UNION SELECT 'project:' || m.project_id FROM project_members m
               WHERE m.org_id = current_org() AND m.user_id = by_user);

-- Whether a caller may see one memory that it names: the contexts above, and any team project for a user.
CREATE FUNCTION sees_memory(by_user text, by_agent text, by_project text, context text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN context = ANY (memory_contexts(by_user, by_agent, by_project))
        OR (by_user IS NOT NULL AND starts_with(context, 'project:')
            AND EXISTS (SELECT FROM projects p
                         WHERE p.org_id = current_org() AND p.id = substr(context, length('project:') + 1)
                           AND p.visibility = 'team'));

-- The workspace that reads are held to: the active one where the org has workspaces enabled, else none.
CREATE FUNCTION active_workspace(by_workspace text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT by_workspace FROM orgs o WHERE o.org_id = current_org() AND o.workspaces_enabled);

-- Whether a caller may see a node's item: one that comes of a memory is there for those who see that memory now.
CREATE FUNCTION sees_item(
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
CREATE FUNCTION items_seen(
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

CREATE FUNCTION assets_of(memory text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'id', a.id, 'name', a.name, 'content_type', a.content_type, 'size', a.size, 'sha256', a.sha256,
                       'created_at', wire_time(a.created_at)) ORDER BY a.id), '[]')
              FROM memory_assets a
             WHERE a.org_id = current_org() AND a.memory_id = memory);

CREATE FUNCTION nodes_of(memory text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT i.node_id FROM node_items i
                  WHERE i.org_id = current_org() AND i.memory_id = memory ORDER BY i.node_id);

-- A list of sources with others added; one that is there already takes the newer quote.
CREATE FUNCTION with_sources(old jsonb, new jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN new IS NULL OR new = '[]' THEN old ELSE
        (SELECT coalesce(jsonb_agg(o.source ORDER BY o.place), '[]')
           FROM jsonb_array_elements(old) WITH ORDINALITY AS o (source, place)
          WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(new) AS n (source)
                             WHERE n.source->'kind' = o.source->'kind' AND n.source->'ref' = o.source->'ref')) || new END;

CREATE FUNCTION without_source(old jsonb, kind text, ref text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT coalesce(jsonb_agg(o.source ORDER BY o.place), '[]')
              FROM jsonb_array_elements(old) WITH ORDINALITY AS o (source, place)
             WHERE NOT ((kind IS NULL OR o.source->>'kind' = kind) AND (ref IS NULL OR o.source->>'ref' = ref)));
