-- Learning: how far each session was learned from, proposals, what was learned and from which messages, and what calls gave.

-- The last message of each conversation of a session that was learned from. It moves in the transaction that applies the result.
CREATE TABLE session_progress (
    org_id       text NOT NULL,
    session_id   text NOT NULL,
    resource_id  text NOT NULL,
    key          text NOT NULL,
    message_id   text,                 -- NULL: nothing yet
    unlearned    integer NOT NULL DEFAULT 0,  -- messages appended since, for the trigger by number alone
    settled_at   timestamptz,
    PRIMARY KEY (org_id, session_id, resource_id, key),
    FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id) ON DELETE CASCADE
);
CALL wall_off('session_progress');

-- The reconcile pass looks for sessions that rest; `learned_until` is the last activity that a settling has read.
CREATE INDEX sessions_unsettled ON sessions (org_id, last_activity_at)
    WHERE learned_until IS NULL OR learned_until < last_activity_at;

-- What an extractor, or consolidation, would have memory become; and what came of it.
CREATE TABLE proposals (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    user_id       text,                -- whose memory it is about; without a user, the agent's
    agent_id      text,
    project_id    text,
    session_id    text,
    workspace_id  text NOT NULL,
    audience      text NOT NULL GENERATED ALWAYS AS (
                      audience(NULL, user_id, CASE WHEN user_id IS NULL THEN agent_id END, NULL, NULL)) STORED,
    job_id        text,
    extractor     text,                -- rules, llm; NULL: consolidation
    action        text NOT NULL CHECK (action IN ('add', 'update', 'supersede', 'merge', 'retire', 'none')),
    target        text NOT NULL CHECK (target IN ('block', 'memory', 'entry', 'node_item')),
    block_type    text,
    scope         text,
    key           text,
    content       text NOT NULL,
    before        text,
    supersedes    text,                -- the id of the row that it ends
    kind          text NOT NULL,
    subject       text NOT NULL DEFAULT '',
    attribute     text NOT NULL DEFAULT '',
    value         text NOT NULL DEFAULT '',
    related       jsonb,               -- of a node item: the relation and the name at its other end
    confidence    double precision NOT NULL,
    trust         text NOT NULL CHECK (trust IN ('user', 'assistant', 'tool', 'import')),
    reason        text NOT NULL,
    sources       jsonb NOT NULL DEFAULT '[]',
    valid_from    timestamptz,
    status        text NOT NULL CHECK (status IN ('pending', 'applied', 'rejected', 'quarantined', 'reverted')),
    result        jsonb,               -- {id, version} of the row that it became, or is the same as
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX proposals_newest ON proposals (org_id, audience, id);
CREATE INDEX proposals_of_result ON proposals (org_id, (result ->> 'id')) WHERE result IS NOT NULL;
CREATE INDEX proposals_of_superseded ON proposals (org_id, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX proposals_of_job ON proposals (org_id, job_id, id) WHERE job_id IS NOT NULL;
CALL wall_off('proposals');

-- A statement that learning wrote, and where it stands now. A line of a block is found by its text.
CREATE TABLE learned_facts (
    org_id       text NOT NULL,
    id           text NOT NULL,        -- that of the proposal that wrote it
    audience     text NOT NULL,        -- whose memory it is in, as of the proposal
    place        text NOT NULL CHECK (place IN ('line', 'memory', 'entry', 'node_item')),
    object_id    text NOT NULL,        -- of the block, memory, entry or item
    kind         text NOT NULL,
    content      text NOT NULL,
    subject      text NOT NULL,
    attribute    text NOT NULL,
    value        text NOT NULL,
    confidence   double precision NOT NULL,
    trust        text NOT NULL,
    said_at      timestamptz NOT NULL,
    ended_at     timestamptz,          -- superseded, retired or reverted
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES proposals ON DELETE CASCADE
);
CREATE INDEX learned_facts_held ON learned_facts (org_id, audience, id) WHERE ended_at IS NULL;
CREATE INDEX learned_facts_of_object ON learned_facts (org_id, object_id);
CALL wall_off('learned_facts');

-- Which words a proposal rests on: a message, quote and slot is learned from once. `fact_id` is the statement that it supports.
CREATE TABLE learned_sources (
    org_id        text NOT NULL,
    audience      text NOT NULL,
    conversation  text NOT NULL,       -- resource and key; '' for messages that were sent to be extracted from
    message_id    text NOT NULL,
    quote_digest  text NOT NULL,
    slot          text NOT NULL,
    proposal_id   text NOT NULL,
    fact_id       text,
    PRIMARY KEY (org_id, audience, conversation, message_id, quote_digest, slot),
    FOREIGN KEY (org_id, proposal_id) REFERENCES proposals ON DELETE CASCADE
);
CREATE INDEX learned_sources_of_fact ON learned_sources (org_id, fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX learned_sources_of_proposal ON learned_sources (org_id, proposal_id);
CALL wall_off('learned_sources');

-- What calls that name a session were given of memory, so that it is not learned a second time. Swept after a week.
CREATE TABLE given_texts (
    org_id       text NOT NULL,
    session_id   text NOT NULL,
    audience     text NOT NULL,        -- who was given it: another user's call that names the session counts for nobody else
    digest       text NOT NULL,
    kind         text NOT NULL,
    object_id    text NOT NULL,
    content      text NOT NULL,
    given_at     timestamptz NOT NULL,
    PRIMARY KEY (org_id, session_id, audience, digest)
);
CREATE INDEX given_texts_by_age ON given_texts (org_id, given_at);
CREATE INDEX given_texts_of_object ON given_texts (org_id, object_id);
CALL wall_off('given_texts');

-- When a call that named a session was last given each object: whether memory is used. Ids and times, no text.
CREATE TABLE given_objects (
    org_id     text NOT NULL,
    object_id  text NOT NULL,
    given_at   timestamptz NOT NULL,
    PRIMARY KEY (org_id, object_id)
);
CALL wall_off('given_objects');

-- What a job changed: revert reads it.
CREATE INDEX revisions_of_job ON revisions (org_id, actor_id, kind, object_id, version) WHERE actor_type = 'job';
