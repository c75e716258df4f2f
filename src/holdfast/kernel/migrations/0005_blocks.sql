-- Blocks: one text per user, agent or none, and type; and what a turn of a conversation was reminded of.

-- A deleted block keeps its row without its text: its id, its count of versions and its stamps go on when it is made again,
-- so that a stamp from before the deletion can never match.
CREATE TABLE blocks (
    org_id      text NOT NULL REFERENCES orgs,
    id          text NOT NULL,
    user_id     text NOT NULL,
    agent_id    text,               -- NULL for the user across all agents
    block_type  text NOT NULL CHECK (block_type IN ('core', 'archival')),
    content     text NOT NULL,
    entries     integer NOT NULL,
    came_at     timestamptz[] NOT NULL DEFAULT '{}',  -- of an archive, when each entry came; recall ranks by it
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    deleted_at  timestamptz,
    -- The agent, '' for none, which no agent's id is: equality finds the row. Neither IS NOT DISTINCT FROM nor an index on
    -- coalesce(…) would: the first uses no index, the second none under row-level security.
    place       text NOT NULL GENERATED ALWAYS AS (coalesce(agent_id, '')) STORED,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, agent_id) REFERENCES agents
);
CREATE UNIQUE INDEX blocks_by_place ON blocks (org_id, user_id, place, block_type);
CALL wall_off('blocks');

-- The reminders that a turn got, and what was recalled for it, so that a replay of it gets the same. Each is written once;
-- null until a call for the turn asks for it.
CREATE TABLE context_turns (
    org_id      text NOT NULL REFERENCES orgs,
    user_id     text NOT NULL,
    session_id  text NOT NULL,
    message_id  text NOT NULL,
    reminders   jsonb,
    recalled    jsonb,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id, message_id)
);
CALL wall_off('context_turns');
