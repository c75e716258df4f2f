-- Conversations: memory resources, and the messages of those that are kept in Postgres.

CREATE TABLE memory_resources (
    org_id      text NOT NULL REFERENCES orgs,
    id          text NOT NULL,
    config      jsonb NOT NULL,      -- the fields that the author set
    revision    integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX memory_resources_newest ON memory_resources (org_id, created_at, id);
CALL wall_off('memory_resources');

-- One message list. The totals run along with every change, so that nothing ever counts its messages.
CREATE TABLE conversations (
    org_id         text NOT NULL REFERENCES orgs,
    resource_id    text NOT NULL,
    key            text NOT NULL,
    id             text NOT NULL,
    version        integer NOT NULL DEFAULT 0,
    message_count  integer NOT NULL DEFAULT 0,
    token_count    bigint NOT NULL DEFAULT 0,
    roles          jsonb NOT NULL DEFAULT '{}',   -- messages by role
    shares         jsonb NOT NULL DEFAULT '{}',   -- tokens by share of the budget
    next_seq       bigint NOT NULL DEFAULT 1,
    expires_at     timestamptz,
    pending_job    text,
    last_flush     jsonb,
    last_error     jsonb,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, resource_id, key),
    UNIQUE (org_id, id)
);
CREATE INDEX conversations_newest ON conversations (org_id, resource_id, id);
CREATE INDEX conversations_expiring ON conversations (org_id, expires_at) WHERE expires_at IS NOT NULL;
CALL wall_off('conversations');

CREATE TABLE conversation_messages (
    org_id           text NOT NULL,
    conversation_id  text NOT NULL,
    seq              bigint NOT NULL,     -- its place; places that were given up stay empty
    id               text NOT NULL,
    type             text NOT NULL,
    role             text NOT NULL,
    content          text NOT NULL,
    name             text,
    tool_calls       jsonb,
    tool_call_id     text,
    metadata         jsonb NOT NULL,
    tokens           integer NOT NULL,
    share            text NOT NULL,
    created_at       timestamptz NOT NULL,
    accessed_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, conversation_id, seq),
    UNIQUE (org_id, conversation_id, id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) WITH (fillfactor = 90);  -- room for an access to be noted in place
CALL wall_off('conversation_messages');

-- Ids of messages that were flushed: the same message sent again is still the same message.
CREATE TABLE conversation_flushed_ids (
    org_id           text NOT NULL,
    conversation_id  text NOT NULL,
    message_id       text NOT NULL,
    PRIMARY KEY (org_id, conversation_id, message_id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
);
CALL wall_off('conversation_flushed_ids');

-- The lock of a flush, which lasts longer than one transaction. The token grows with every holder (fencing).
CREATE TABLE conversation_leases (
    org_id           text NOT NULL,
    conversation_id  text NOT NULL,
    token            bigint NOT NULL,
    expires_at       timestamptz NOT NULL,
    PRIMARY KEY (org_id, conversation_id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
);
CALL wall_off('conversation_leases');

-- Which conversations a session had, whichever backend keeps them.
CREATE TABLE session_conversations (
    org_id            text NOT NULL,
    session_id        text NOT NULL,
    resource_id       text NOT NULL,
    key               text NOT NULL,
    last_activity_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, session_id, resource_id, key),
    FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id) ON DELETE CASCADE
);
CALL wall_off('session_conversations');

-- A summary as each of those whose conversation it is may find it. It lies here and not with its message, which may be in
-- Redis: recall reads what it found under the tenant wall.
CREATE TABLE conversation_summaries (
    org_id           text NOT NULL REFERENCES orgs,
    id               text NOT NULL,
    conversation_id  text NOT NULL,
    resource_id      text NOT NULL,
    key              text NOT NULL,
    message_id       text NOT NULL,
    content          text NOT NULL,
    user_id          text,            -- whose it is: a user's,
    agent_id         text,            -- or, where there is none, an agent's
    session_id       text,
    workspace_id     text,
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz,     -- the instance's; a write moves it
    PRIMARY KEY (org_id, id)
);
CREATE INDEX conversation_summaries_of ON conversation_summaries (org_id, resource_id, key);
CREATE INDEX conversation_summaries_by_expiry ON conversation_summaries (org_id, expires_at) WHERE expires_at IS NOT NULL;
CALL wall_off('conversation_summaries');

-- Whose sessions a conversation belongs to.
CREATE INDEX session_conversations_of ON session_conversations (org_id, resource_id, key);

-- Finds the flushed messages whose retention is over.
CREATE INDEX revisions_flushed ON revisions (org_id, created_at)
    WHERE kind = 'conversation' AND action IN ('flushed', 'appended') AND content IS NOT NULL;
