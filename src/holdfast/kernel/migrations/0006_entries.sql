-- Entries: what an agent stores and recalls between events, under stable keys.

CREATE TABLE runs (
    org_id            text NOT NULL,
    id                text NOT NULL,
    agent_id          text NOT NULL,
    started_at        timestamptz NOT NULL,
    last_activity_at  timestamptz NOT NULL,
    ended_at          timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, agent_id) REFERENCES agents
);
CREATE INDEX runs_open ON runs (org_id, agent_id, last_activity_at) WHERE ended_at IS NULL;
CALL wall_off('runs');

-- Whose thousand an entry counts in: 'agents/<id>' (its runs' scratch included) or 'workspaces/<id>'. Every write locks
-- this row first, so the count is exact and what is evicted is chosen by one writer at a time.
CREATE TABLE entry_owners (
    org_id  text NOT NULL,
    owner   text NOT NULL,
    used    integer NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, owner)
);
CALL wall_off('entry_owners');

CREATE TABLE entries (
    org_id        text NOT NULL,
    id            text NOT NULL,
    owner         text NOT NULL,
    run_id        text,               -- of a conversation entry: the run it dies with
    key           text NOT NULL,
    category      text NOT NULL,
    pinned        boolean NOT NULL GENERATED ALWAYS AS (category = 'core') STORED,
    content       text NOT NULL,
    tags          text[] NOT NULL,
    size          integer NOT NULL,
    agent_id      text NOT NULL,      -- who stored it last
    workspace_id  text NOT NULL,
    version       integer NOT NULL,
    expires_at    timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE NULLS NOT DISTINCT (org_id, owner, key, run_id)
);
-- Read forwards this is the order of eviction, backwards that of hydration.
CREATE INDEX entries_by_warmth ON entries (org_id, owner, pinned, updated_at, id);
CREATE INDEX entries_that_expire ON entries (org_id, owner, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_of_runs ON entries (org_id, run_id) WHERE run_id IS NOT NULL;
CALL wall_off('entries');

-- A key stored again is the same entry again: this finds what it was.
CREATE INDEX revisions_of_entries ON revisions (org_id, parent_id, label, version) WHERE kind = 'entry';
