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
