-- The kernel: orgs, history, idempotency, jobs, counters.
--
-- Every table that holds content carries org_id, leads every key with it, and has row-level security forced on, so that
-- a query that forgets its WHERE finds nothing of anyone else's. The service works as the role holdfast_app, which owns
-- nothing.

GRANT USAGE ON SCHEMA public TO holdfast_app;

CREATE TABLE orgs (
    org_id              text PRIMARY KEY,
    name                text NOT NULL,
    workspaces_enabled  boolean NOT NULL DEFAULT false,
    review_extractions  boolean NOT NULL DEFAULT false,
    llm_tokens_per_day  bigint,
    language            text NOT NULL DEFAULT 'english',
    redact_patterns     text[] NOT NULL DEFAULT '{}',  -- RE2; learning masks what they match before anything reads a message
    recall_weights      jsonb,          -- what the org chose for its ranking; unset: the default (kernel/recall/fusion.py)
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);
CALL wall_off('orgs');

-- The operator's command line connects as the owner of the schema, which the walls hold too. It may list the orgs there
-- are, to choose one and enter it; nothing else is open to it.
CREATE POLICY operator_lists ON orgs FOR SELECT TO CURRENT_USER USING (true);

-- One history for every face: each row is an object as it stood after one change. What a change replaced is the
-- revision before it, so history, as_of, diff, restore, audit and redaction all read this one table.
CREATE TABLE revisions (
    org_id       text NOT NULL,
    id           text NOT NULL,
    kind         text NOT NULL,       -- block, entry, memory, store, store_entry, agent, …
    object_id    text NOT NULL,
    parent_id    text,                -- what holds the object: a store, an agent
    label        text,                -- how it was called then: a path, a key
    version      integer NOT NULL,
    action       text NOT NULL,
    actor_type   text NOT NULL,
    actor_id     text NOT NULL,
    user_id      text,
    agent_id     text,
    session_id   text,
    request_id   text,
    created_at   timestamptz NOT NULL,
    state        jsonb,               -- the object's fields, without its content
    content      text,                -- kept apart so that it stays byte for byte, and can go for good
    redacted_at  timestamptz,
    redacted_by  jsonb,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, kind, object_id, version)
);
CREATE INDEX revisions_by_parent ON revisions (org_id, parent_id, id) WHERE parent_id IS NOT NULL;
CALL wall_off('revisions');

CREATE TABLE idempotency_keys (
    org_id         text NOT NULL,
    credential_id  text NOT NULL,
    endpoint       text NOT NULL,     -- digest of method and path: a path may be longer than an index takes
    key            text NOT NULL,
    user_id        text,              -- the user acted for: what was answered for a person is erased with the person
    body_digest    text NOT NULL,
    status         integer NOT NULL,
    headers        jsonb NOT NULL,
    body           bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, credential_id, endpoint, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (org_id, created_at);
CALL wall_off('idempotency_keys');

-- Work for later as its org sees it. The queue itself (procrastinate's tables) holds only the org and the job's id.
CREATE TABLE jobs (
    org_id       text NOT NULL,
    id           text NOT NULL,
    queue        text NOT NULL,
    kind         text NOT NULL,
    subject      text NOT NULL,       -- the id of what it is about
    once         text,                -- at most one job per kind and `once`, ever
    status       text NOT NULL DEFAULT 'queued'
                 CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    attempts     integer NOT NULL DEFAULT 0,
    error        text,
    tokens       bigint NOT NULL DEFAULT 0,
    result       jsonb,
    user_id      text,                -- who asked for it, for whom and where: the job acts as them
    agent_id     text,
    workspace_id text NOT NULL DEFAULT 'default',
    audience     text NOT NULL GENERATED ALWAYS AS (
                     audience(NULL, user_id, CASE WHEN user_id IS NULL THEN agent_id END, NULL, NULL)) STORED,
    not_before   timestamptz,         -- not to be started before this
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    started_at   timestamptz,
    finished_at  timestamptz,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, kind, once)
);
CALL wall_off('jobs');
CREATE INDEX jobs_unfinished ON jobs (org_id, id) WHERE status IN ('queued', 'running');
-- For reconcile_jobs, which looks for the entry of a job.
CREATE INDEX procrastinate_jobs_job_id ON procrastinate_jobs ((args->>'job_id'));

-- The queue's own tables hold ids only (see kernel/jobs.py).
GRANT SELECT, INSERT, UPDATE, DELETE ON
    procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers, procrastinate_events TO holdfast_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO holdfast_app;

-- Requests of the current minute, for keys with a limit. Losing it in a crash costs nobody anything.
CREATE UNLOGGED TABLE request_counts (
    org_id  text NOT NULL,
    key_id  text NOT NULL,
    minute  timestamptz NOT NULL,
    used    integer NOT NULL,
    PRIMARY KEY (org_id, key_id)
);
CALL wall_off('request_counts');

-- What was erased or redacted of late: a request that read it before and keeps its answer after finds it here, and keeps
-- no word of it. The numbers of an org rise in the order of its commits, since each is drawn under a lock that is held
-- until then. A crash that empties the table has ended every request that would have asked.
CREATE UNLOGGED TABLE forgotten (
    org_id        text NOT NULL,
    number        bigint GENERATED ALWAYS AS IDENTITY,
    object_id     text NOT NULL,
    forgotten_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, number)
);
CALL wall_off('forgotten');

-- Every call of a language model: what it was for, what it took, how it went. Never a word of what was asked or answered.
CREATE TABLE llm_calls (
    org_id         text NOT NULL REFERENCES orgs,
    id             text NOT NULL,
    kind           text NOT NULL,        -- what it was for: conversation_flush, …
    job_id         text,
    user_id        text,
    model          text NOT NULL,
    status         text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'succeeded', 'failed')),
    input_tokens   bigint NOT NULL,      -- while it runs, what it may take at most
    output_tokens  bigint NOT NULL,
    error          text,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX llm_calls_by_day ON llm_calls (org_id, started_at) INCLUDE (input_tokens, output_tokens);
CREATE INDEX llm_calls_of_job ON llm_calls (org_id, job_id) WHERE job_id IS NOT NULL;
CALL wall_off('llm_calls');
