-- Conversations: summaries that recall finds, whichever backend keeps the messages.

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
