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

-- One message list. Its owner is a user, or an agent, or (of a shared resource) the whole org; it is part of the key. The
-- totals are updated with every change, so that nothing counts the messages.
CREATE TABLE conversations (
    org_id         text NOT NULL REFERENCES orgs,
    resource_id    text NOT NULL,
    user_id        text,
    agent_id       text,
    audience       text NOT NULL GENERATED ALWAYS AS (audience(NULL, user_id, agent_id, NULL, NULL)) STORED,
    key            text NOT NULL,
    id             text NOT NULL,
    workspace_id   text NOT NULL,   -- where it was made
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
    PRIMARY KEY (org_id, resource_id, audience, key),
    UNIQUE (org_id, id)
);
CREATE INDEX conversations_newest ON conversations (org_id, resource_id, id);
CREATE INDEX conversations_newest_of ON conversations (org_id, resource_id, audience, id);
CREATE INDEX conversations_expiring ON conversations (org_id, expires_at) WHERE expires_at IS NOT NULL;
CALL wall_off('conversations');

CREATE TABLE conversation_messages (
    org_id           text NOT NULL,
    conversation_id  text NOT NULL,
    seq              bigint NOT NULL,     -- its place in the list; the place of a removed message stays empty
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
    accessed_at      timestamptz NOT NULL,  -- when it was stored; later reads are in conversation_reads
    PRIMARY KEY (org_id, conversation_id, seq),
    UNIQUE (org_id, conversation_id, id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
);
CALL wall_off('conversation_messages');

-- When a range of places was last read, for the lru strategies.
CREATE TABLE conversation_reads (
    org_id           text NOT NULL,
    conversation_id  text NOT NULL,
    first_seq        bigint NOT NULL,
    last_seq         bigint NOT NULL,
    read_at          timestamptz NOT NULL,
    PRIMARY KEY (org_id, conversation_id, first_seq, last_seq),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
);
CALL wall_off('conversation_reads');

-- Ids of flushed messages, kept for as long as the instance: a message that is sent again is recognised by its id.
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
    taken_at         timestamptz NOT NULL,
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

-- What is kept of an instance beside its messages, whichever backend keeps those: its summaries and its flushed messages, which
-- recall reads from here. This row carries the instance's names and its expiry, which every write moves; it is made by
-- the first flush. A new instance under the same key drops the row of the one before.
CREATE TABLE conversation_histories (
    org_id           text NOT NULL REFERENCES orgs,
    conversation_id  text NOT NULL,
    resource_id      text NOT NULL,
    user_id          text,
    agent_id         text,
    audience         text NOT NULL GENERATED ALWAYS AS (audience(NULL, user_id, agent_id, NULL, NULL)) STORED,
    key              text NOT NULL,
    workspace_id     text NOT NULL,
    expires_at       timestamptz,
    PRIMARY KEY (org_id, conversation_id)
);
CREATE INDEX conversation_histories_of ON conversation_histories (org_id, resource_id, audience, key);
CREATE INDEX conversation_histories_expiring ON conversation_histories (org_id, expires_at) WHERE expires_at IS NOT NULL;
CALL wall_off('conversation_histories');

CREATE TABLE conversation_summaries (
    org_id           text NOT NULL,
    id               text NOT NULL,
    conversation_id  text NOT NULL,
    message_id       text NOT NULL,
    content          text NOT NULL,
    session_id       text,
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversation_histories ON DELETE CASCADE
);
CREATE INDEX conversation_summaries_of ON conversation_summaries (org_id, conversation_id);
CALL wall_off('conversation_summaries');

CREATE TABLE conversation_flushed (
    org_id           text NOT NULL,
    id               text NOT NULL,
    conversation_id  text NOT NULL,
    seq              bigint NOT NULL,     -- the place it had; a summary may have that place now
    message_id       text NOT NULL,
    message          jsonb NOT NULL,
    flushed_at       timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, conversation_id, message_id),
    FOREIGN KEY (org_id, conversation_id) REFERENCES conversation_histories ON DELETE CASCADE
);
CREATE INDEX conversation_flushed_by_age ON conversation_flushed (org_id, flushed_at);
CREATE INDEX conversation_flushed_in_order ON conversation_flushed (org_id, conversation_id, seq);
CALL wall_off('conversation_flushed');

-- Finds the sessions that a conversation belongs to.
CREATE INDEX session_conversations_of ON session_conversations (org_id, resource_id, key);
