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

-- How many entries an audience holds of the 1,000 that it may: an agent (its runs' entries included), a user with an agent,
-- or a workspace. Every write locks this row first, so the count is exact and one writer at a time chooses what is evicted.
CREATE TABLE entry_quotas (
    org_id    text NOT NULL,
    audience  text NOT NULL,
    used      integer NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, audience)
);
CALL wall_off('entry_quotas');

CREATE TABLE entries (
    org_id        text NOT NULL,
    id            text NOT NULL,
    run_id        text,               -- of a conversation entry: the run it ends with
    user_id       text,               -- of an entry with scope "user": the user it belongs to
    key           text NOT NULL,
    category      text NOT NULL,
    pinned        boolean NOT NULL GENERATED ALWAYS AS (category = 'core') STORED,
    scope         text NOT NULL GENERATED ALWAYS AS (CASE WHEN user_id IS NULL THEN 'agent' ELSE 'user' END) STORED,
    content       text NOT NULL,
    tags          text[] NOT NULL,
    size          integer NOT NULL,
    agent_id      text NOT NULL,      -- who stored it last
    workspace_id  text NOT NULL,
    version       integer NOT NULL,
    expires_at    timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    -- Who sees it; its key is unique there.
    audience      text NOT NULL GENERATED ALWAYS AS (
                      CASE WHEN run_id IS NOT NULL THEN audience(NULL, NULL, NULL, NULL, run_id)
                           WHEN category = 'workspace' THEN audience(NULL, NULL, NULL, workspace_id, NULL)
                           ELSE audience(NULL, user_id, agent_id, NULL, NULL) END) STORED,
    -- The audience in whose 1,000 it counts: a run's entries count in those of the agent.
    quota         text NOT NULL GENERATED ALWAYS AS (
                      CASE WHEN category = 'workspace' THEN audience(NULL, NULL, NULL, workspace_id, NULL)
                           ELSE audience(NULL, user_id, agent_id, NULL, NULL) END) STORED,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, audience, key)
);
-- Read forwards this is the order of eviction, backwards that of hydration.
CREATE INDEX entries_by_warmth ON entries (org_id, quota, pinned, updated_at, id);
CREATE INDEX entries_that_expire ON entries (org_id, quota, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_of_runs ON entries (org_id, run_id) WHERE run_id IS NOT NULL;
CALL wall_off('entries');

-- A key stored again is the same entry again: this finds what it was.
CREATE INDEX revisions_of_entries ON revisions (org_id, parent_id, label, version) WHERE kind = 'entry';
