-- Access: API keys, browser sessions, one-time links, failed sign-ins.

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
    read_only     boolean NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    revoked_at    timestamptz,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, digest)
);
CREATE INDEX api_keys_by_digest ON api_keys (digest);
CALL wall_off('api_keys');
CREATE POLICY proving_itself ON api_keys FOR SELECT USING (digest = current_proof());

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
CREATE POLICY proving_itself ON browser_sessions FOR SELECT USING (digest = current_proof());

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
CREATE POLICY proving_itself ON sign_in_links FOR SELECT USING (digest = current_proof());

-- Attempts to sign in since the last that was right, by digest of account, of address, or of both where that address signed in
-- to that account before (signed_in_at). An account that fails may not exist, so there is no org to carry; the table holds
-- digests and counts, never content.
CREATE TABLE sign_in_failures (
    subject      text PRIMARY KEY,
    failures     integer NOT NULL,
    failed_at    timestamptz NOT NULL,
    signed_in_at timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_failures TO holdfast_app;

-- Processes cache API key lookups (kernel/key_cache.py). Whatever can change the result of a lookup notifies them when it
-- commits, changes by hand included. New rows need no notification: only rows that exist are cached.
CREATE TRIGGER notify_keys_changed AFTER UPDATE OR DELETE OR TRUNCATE ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();
CREATE TRIGGER notify_keys_changed AFTER UPDATE OF org_id, id, workspace_id OR DELETE OR TRUNCATE ON agents
    FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();
CREATE TRIGGER notify_keys_changed AFTER UPDATE OF org_id, id OR DELETE OR TRUNCATE ON workspaces
    FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();
CREATE TRIGGER notify_keys_changed AFTER UPDATE OF org_id, id, owner, created_at OR DELETE OR TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();
-- A key without a user speaks for the org's first owner.
CREATE TRIGGER notify_owner_made AFTER INSERT ON users
    FOR EACH ROW WHEN (NEW.owner) EXECUTE FUNCTION notify_keys_changed();
