-- The kernel: who is asking, what changed, and work for later.
--
-- Every table that holds content carries org_id, leads every key with it, and has row-level security forced on, so that
-- a query that forgets its WHERE finds nothing of anyone else's. The service connects as holdfast_app, which owns nothing.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_app') THEN
        CREATE ROLE holdfast_app NOLOGIN;
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO holdfast_app;

-- The org of this transaction. On a pooled connection the setting is '' once its transaction is over, so a transaction
-- that never named its org is an error here rather than an empty answer.
CREATE FUNCTION current_org() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    org text := current_setting('holdfast.org', true);
BEGIN
    IF org IS NULL OR org = '' THEN
        RAISE EXCEPTION 'no org is set for this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN org;
END $$;

-- What proves who is asking before any org is known: the digest of a key or cookie, or the e-mail address signing in.
-- A row that matches the proof may be read; nothing else is opened by it.
CREATE FUNCTION current_proof() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('holdfast.proof', true), '');

-- The rule of sight, as kernel/caller.py has it: a caller sees what carries no name that it does not carry too.
CREATE FUNCTION sees(
    caller_workspace text, caller_project text, caller_user text, caller_agent text, caller_run text,
    workspace text, project text, "user" text, agent text, run text
) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (workspace IS NULL OR coalesce(workspace = caller_workspace, false))
       AND (project IS NULL OR coalesce(project = caller_project, false))
       AND ("user" IS NULL OR coalesce("user" = caller_user, false))
       AND (agent IS NULL OR coalesce(agent = caller_agent, false))
       AND (run IS NULL OR coalesce(run = caller_run, false));

-- Puts the tenant wall around a table; each migration that makes a content table calls it.
-- The setting is read once per query (a sub-select), not once per row.
CREATE PROCEDURE wall_off(name regclass)
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY of_this_org ON %s USING (org_id = (SELECT current_org()))'
        ' WITH CHECK (org_id = (SELECT current_org()))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO holdfast_app', name);
END $$;

CREATE TABLE orgs (
    org_id              text PRIMARY KEY,
    name                text NOT NULL,
    workspaces_enabled  boolean NOT NULL DEFAULT false,
    review_extractions  boolean NOT NULL DEFAULT false,
    llm_tokens_per_day  bigint,
    language            text NOT NULL DEFAULT 'english',
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);
CALL wall_off('orgs');

CREATE TABLE workspaces (
    org_id      text NOT NULL REFERENCES orgs,
    id          text NOT NULL,
    name        text,
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX workspaces_newest ON workspaces (org_id, created_at, id);
CALL wall_off('workspaces');

CREATE TABLE users (
    org_id          text NOT NULL REFERENCES orgs,
    id              text NOT NULL,
    email           text,
    owner           boolean NOT NULL DEFAULT false,
    password_hash   text,
    totp_secret     text,           -- set at enrolment, in force once totp_confirmed_at is
    totp_confirmed_at timestamptz,
    totp_last_step  bigint,         -- a code opens once
    insight_capture boolean NOT NULL DEFAULT true,
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, email)
);
CREATE INDEX users_by_email ON users (email) WHERE email IS NOT NULL;
CREATE INDEX users_newest ON users (org_id, created_at, id);
CALL wall_off('users');
CREATE POLICY signing_in ON users FOR SELECT USING (email = (SELECT current_proof()));

CREATE TABLE projects (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    name          text,
    visibility    text NOT NULL DEFAULT 'team' CHECK (visibility IN ('team', 'private')),
    workspace_id  text NOT NULL,
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, workspace_id) REFERENCES workspaces
);
CREATE INDEX projects_newest ON projects (org_id, created_at, id);
CALL wall_off('projects');

CREATE TABLE project_members (
    org_id      text NOT NULL,
    project_id  text NOT NULL,
    user_id     text NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, project_id, user_id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX project_members_by_user ON project_members (org_id, user_id);
CALL wall_off('project_members');

CREATE TABLE agents (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    name          text,
    workspace_id  text NOT NULL,
    project_id    text,
    memory        jsonb NOT NULL DEFAULT '[]',   -- references to memory resources
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, workspace_id) REFERENCES workspaces,
    FOREIGN KEY (org_id, project_id) REFERENCES projects
);
CREATE INDEX agents_newest ON agents (org_id, created_at, id);
CALL wall_off('agents');

CREATE TABLE sessions (
    org_id            text NOT NULL REFERENCES orgs,
    id                text NOT NULL,
    user_id           text,
    agent_id          text,
    project_id        text,
    workspace_id      text NOT NULL,
    last_activity_at  timestamptz NOT NULL,
    settled_at        timestamptz,
    version           integer NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX sessions_newest ON sessions (org_id, created_at, id);
CALL wall_off('sessions');

CREATE TABLE api_keys (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('service', 'user', 'agent')),
    name          text,
    digest        text NOT NULL,      -- sha-256; the key itself is shown once and kept nowhere
    prefix        text NOT NULL,
    user_id       text,
    agent_id      text,
    workspace_id  text,
    requests_per_minute integer,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    revoked_at    timestamptz,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, digest)
);
CREATE INDEX api_keys_by_digest ON api_keys (digest);
CALL wall_off('api_keys');
CREATE POLICY proving_itself ON api_keys FOR SELECT USING (digest = (SELECT current_proof()));

CREATE TABLE browser_sessions (
    org_id         text NOT NULL,
    digest         text NOT NULL,
    user_id        text NOT NULL,
    csrf_token     text NOT NULL,
    stepped_up_at  timestamptz,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, digest),
    FOREIGN KEY (org_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX browser_sessions_by_digest ON browser_sessions (digest);
CALL wall_off('browser_sessions');
CREATE POLICY proving_itself ON browser_sessions FOR SELECT USING (digest = (SELECT current_proof()));

-- One-time links: the first sign-in of an owner who has no password yet.
CREATE TABLE sign_in_links (
    org_id      text NOT NULL,
    digest      text NOT NULL,
    user_id     text NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, digest),
    FOREIGN KEY (org_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sign_in_links_by_digest ON sign_in_links (digest);
CALL wall_off('sign_in_links');
CREATE POLICY proving_itself ON sign_in_links FOR SELECT USING (digest = (SELECT current_proof()));

-- Failed sign-ins by digest of account or address. An account that fails may not exist, so there is no org to carry;
-- the table holds digests and counts, never content.
CREATE TABLE sign_in_failures (
    subject     text PRIMARY KEY,
    failures    integer NOT NULL,
    failed_at   timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_failures TO holdfast_app;

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
    body_digest    text NOT NULL,
    status         integer NOT NULL,
    headers        jsonb NOT NULL,
    body           bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, credential_id, endpoint, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (org_id, created_at);
CALL wall_off('idempotency_keys');

-- What happened, for whoever listens: written with the change, told afterwards.
CREATE TABLE events (
    org_id      text NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL,
    object_id   text NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CALL wall_off('events');

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
    user_id      text,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    started_at   timestamptz,
    finished_at  timestamptz,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, kind, once)
);
CALL wall_off('jobs');

-- What an authenticated key or browser asks about its own org, in the round trip that proves it. Each is a function so
-- that its policies are checked after the org was entered, by which `entered` is made a dependency of it.
CREATE FUNCTION key_context(entered text, key_agent_id text, asked_workspace text, asked_user text)
    RETURNS TABLE (owner_id text, agent_workspace_id text, workspace_known boolean, user_known boolean)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT u.id FROM users u WHERE u.org_id = entered AND u.owner ORDER BY u.created_at LIMIT 1),
        (SELECT a.workspace_id FROM agents a WHERE a.org_id = entered AND a.id = key_agent_id),
        EXISTS (SELECT FROM workspaces w WHERE w.org_id = entered AND w.id = asked_workspace),
        EXISTS (SELECT FROM users u WHERE u.org_id = entered AND u.id = asked_user);
END $$;

CREATE FUNCTION session_context(entered text, session_user_id text, asked_workspace text)
    RETURNS TABLE (owner boolean, workspace_known boolean)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT u.owner FROM users u WHERE u.org_id = entered AND u.id = session_user_id),
        EXISTS (SELECT FROM workspaces w WHERE w.org_id = entered AND w.id = asked_workspace);
END $$;

-- Requests of the current minute, for keys with a limit. Losing it in a crash costs nobody anything.
CREATE UNLOGGED TABLE request_counts (
    org_id  text NOT NULL,
    key_id  text NOT NULL,
    minute  timestamptz NOT NULL,
    used    integer NOT NULL,
    PRIMARY KEY (org_id, key_id)
);
CALL wall_off('request_counts');

-- The operator's command line connects as the owner of the schema, which the walls hold too. It may list the orgs there
-- are, to choose one and enter it; nothing else is open to it.
CREATE POLICY operator_lists ON orgs FOR SELECT TO CURRENT_USER USING (true);

-- The queue's own tables hold ids only (see kernel/jobs.py).
GRANT SELECT, INSERT, UPDATE, DELETE ON
    procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers, procrastinate_events TO holdfast_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO holdfast_app;

CREATE FUNCTION enqueue_job(queue text, org_id text, job_id text, not_before timestamptz) RETURNS bigint[]
    LANGUAGE sql VOLATILE
    RETURN procrastinate_defer_jobs_v1(ARRAY[ROW(
        queue, 'job', 0, NULL, NULL, jsonb_build_object('org_id', org_id, 'job_id', job_id), not_before
    )]::procrastinate_job_to_defer_v1[]);
