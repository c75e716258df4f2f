-- OAuth: what people granted to applications. A grant is one consent; its access tokens are rows of api_keys.

CREATE TABLE oauth_grants (
    org_id              text NOT NULL,
    id                  text NOT NULL,
    user_id             text NOT NULL,
    client_id           text NOT NULL,
    client_name         text NOT NULL,
    redirect_uri        text NOT NULL,
    resource            text NOT NULL,
    read_only           boolean NOT NULL,
    code_digest         text NOT NULL,           -- sha-256, as of every secret here
    code_challenge      text NOT NULL,           -- PKCE, S256
    code_expires_at     timestamptz NOT NULL,
    code_used_at        timestamptz,
    key_id              text,                    -- the access token in force
    refresh_digest      text,
    refresh_expires_at  timestamptz,
    used_digests        text[] NOT NULL DEFAULT '{}',  -- refresh tokens that were rotated: one that comes back ends the grant
    ended_at            timestamptz,
    created_at          timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, user_id) REFERENCES users ON DELETE CASCADE
);
CALL wall_off('oauth_grants');
