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

-- --- what is past its time ------------------------------------------------------------------------------------------

DROP INDEX conversations_by_expiry;
CREATE INDEX conversations_expiring ON conversations (org_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX revisions_flushed ON revisions (org_id, created_at)
    WHERE kind = 'conversation' AND action IN ('flushed', 'appended') AND content IS NOT NULL;

-- The orgs in which something of conversations is past its time: their ids and nothing else. The walls hold the owner of this
-- function too, so it enters each org to look.
CREATE FUNCTION conversations_to_sweep(in_now timestamptz, in_flushed_before timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM set_config('holdfast.org', org, true);
        IF EXISTS (SELECT FROM conversations c WHERE c.org_id = org AND c.expires_at <= in_now)
           OR EXISTS (SELECT FROM conversation_summaries s WHERE s.org_id = org AND s.expires_at <= in_now)
           OR EXISTS (SELECT FROM revisions r
                       WHERE r.org_id = org AND r.kind = 'conversation' AND r.action IN ('flushed', 'appended')
                         AND r.content IS NOT NULL AND r.created_at < in_flushed_before) THEN
            RETURN NEXT org;
        END IF;
    END LOOP;
    PERFORM set_config('holdfast.org', entered, true);
END $$;
REVOKE ALL ON FUNCTION conversations_to_sweep FROM PUBLIC;
GRANT EXECUTE ON FUNCTION conversations_to_sweep TO holdfast_app;
