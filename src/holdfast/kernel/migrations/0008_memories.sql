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
    trust          text NOT NULL CHECK (trust IN ('user', 'assistant', 'tool', 'import')),
    -- Who sees it: this and the workspace are all that sight looks at.
    audience       text NOT NULL GENERATED ALWAYS AS (
                       CASE scope WHEN 'global' THEN audience(NULL, user_id, NULL, NULL, NULL)
                                  WHEN 'project' THEN audience(project_id, NULL, NULL, NULL, NULL)
                                  ELSE audience(NULL, NULL, agent_id, NULL, NULL) END
                   ) STORED,
    holds_key      boolean NOT NULL DEFAULT true,  -- the row that the next save of its key updates
    version        integer NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    -- A missing name would make the audience the whole org.
    CHECK (CASE scope WHEN 'global' THEN user_id WHEN 'project' THEN project_id ELSE agent_id END IS NOT NULL)
);
-- Settles who creates when many save one key at once. A forced new row takes the key over.
CREATE UNIQUE INDEX memories_by_key ON memories (org_id, audience, workspace_id, key) WHERE holds_key;
CREATE INDEX memories_by_audience ON memories (org_id, audience, id);
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

CREATE TABLE nodes (
    org_id        text NOT NULL,
    id            text NOT NULL,
    workspace_id  text NOT NULL,
    visibility    text NOT NULL CHECK (visibility IN ('user', 'project', 'org')),
    user_id       text,               -- the user that made it
    project_id    text,
    audience      text NOT NULL GENERATED ALWAYS AS (
                      CASE visibility WHEN 'user' THEN audience(NULL, user_id, NULL, NULL, NULL)
                                      WHEN 'project' THEN audience(project_id, NULL, NULL, NULL, NULL)
                                      ELSE audience(NULL, NULL, NULL, NULL, NULL) END
                  ) STORED,
    name          text NOT NULL,
    kind          text NOT NULL,
    aliases       text[] NOT NULL,
    summary       text,
    merged_into   text,               -- this id answers with that node
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    -- A missing name would make the audience the whole org.
    CHECK (CASE visibility WHEN 'user' THEN user_id WHEN 'project' THEN project_id ELSE 'org' END IS NOT NULL)
);
CREATE INDEX nodes_by_audience ON nodes (org_id, audience, id) WHERE merged_into IS NULL;
CREATE INDEX nodes_merged ON nodes (org_id, merged_into) WHERE merged_into IS NOT NULL;
CALL wall_off('nodes');

-- Every name a node answers to, its aliases too: one node per name within a kind and an audience, settled by the key.
CREATE TABLE node_names (
    org_id        text NOT NULL,
    workspace_id  text NOT NULL,
    audience      text NOT NULL,
    kind          text NOT NULL,
    folded        text NOT NULL,
    node_id       text NOT NULL,
    PRIMARY KEY (org_id, workspace_id, audience, kind, folded),
    FOREIGN KEY (org_id, node_id) REFERENCES nodes ON DELETE CASCADE
);
CREATE INDEX node_names_by_node ON node_names (org_id, node_id);
-- Nodes are also looked up by name alone, whatever their kind.
CREATE INDEX node_names_by_name ON node_names (org_id, folded, audience);
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
