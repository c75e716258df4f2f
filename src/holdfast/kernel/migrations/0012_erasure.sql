-- Erasure: receipts of erased people, and the backups that may still hold them.

-- What is left of an erasure. The person is named by a salted digest alone, so that a later check can ask whether any row
-- carries that id again; `pseudonym` stands in the history of what the person wrote into shared memory.
CREATE TABLE erasure_receipts (
    org_id         text NOT NULL REFERENCES orgs,
    id             text NOT NULL,
    salt           text NOT NULL,
    person_sha256  text NOT NULL,
    pseudonym      text NOT NULL,
    everything     boolean NOT NULL,
    counts         jsonb NOT NULL,          -- rows by table: erased, and renamed to the pseudonym
    hashes         jsonb NOT NULL,          -- by kind, SHA-256 of the sorted ids of what was erased
    outside        jsonb NOT NULL,          -- what was erased outside of the database: Redis, the object store
    backups        jsonb NOT NULL,          -- backups that were made before and still hold the person
    erased_at      timestamptz NOT NULL,
    files          jsonb,                   -- what was done to the files of the database; NULL: not yet
    completed_at   timestamptz,
    sha256         text,                    -- over all of the above, once it is complete
    PRIMARY KEY (org_id, id)
);
CALL wall_off('erasure_receipts');

-- Backups made by `holdfast backup`, of the whole database: names and times, never content.
CREATE TABLE backups (
    id       text PRIMARY KEY,
    name     text NOT NULL,                 -- the file's name, without its folder
    kind     text NOT NULL CHECK (kind IN ('base', 'dump')),
    made_at  timestamptz NOT NULL
);
GRANT SELECT ON backups TO holdfast_app;
