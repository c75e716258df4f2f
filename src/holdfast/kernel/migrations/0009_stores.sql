-- Stores: text entries at paths. Their versions are revisions; there is no second history.

CREATE TABLE memory_stores (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    workspace_id  text NOT NULL,      -- where it was made; tells who sees it once the org has workspaces
    name          text NOT NULL,
    name_folded   text COLLATE "C" NOT NULL,
    description   text NOT NULL DEFAULT '',
    metadata      jsonb NOT NULL DEFAULT '{}',
    visibility    text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
    read_only     boolean NOT NULL DEFAULT false,  -- for user and agent keys
    created_by    text,               -- the user that made it; NULL: an agent that acted for none
    audience      text NOT NULL GENERATED ALWAYS AS (
                      CASE WHEN visibility = 'private' THEN audience(NULL, created_by, NULL, NULL, NULL) ELSE 'org' END) STORED,
    entry_count   bigint NOT NULL DEFAULT 0,
    total_size    bigint NOT NULL DEFAULT 0,
    archived_at   timestamptz,
    status        text NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 'active' ELSE 'archived' END) STORED,
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    CHECK (visibility = 'org' OR created_by IS NOT NULL)
) WITH (fillfactor = 50);  -- the counts change with every entry: room for the next row version on the same page
CALL wall_off('memory_stores');

CREATE TABLE store_entries (
    org_id          text NOT NULL,
    id              text NOT NULL,
    store_id        text NOT NULL,
    path            text COLLATE "C" NOT NULL,   -- bytewise: what lies below a folder is one range
    content         text NOT NULL,
    size            integer NOT NULL,            -- in bytes
    content_sha256  text NOT NULL,
    metadata        jsonb NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, store_id, path),
    FOREIGN KEY (org_id, store_id) REFERENCES memory_stores ON DELETE CASCADE
);
CALL wall_off('store_entries');

-- The pages of a store's versions, by what they can be filtered by. Times need none: they stand in the ids.
CREATE INDEX revisions_by_store_path ON revisions (org_id, parent_id, label, id) WHERE kind = 'store_entry';
CREATE INDEX revisions_by_store_action ON revisions (org_id, parent_id, action, id) WHERE kind = 'store_entry';
CREATE INDEX revisions_by_store_entry ON revisions (org_id, object_id, id) WHERE kind = 'store_entry';
