-- How much an org uses the service, by minute and face: numbers alone. Every process adds to the rows every few seconds.
CREATE TABLE usage_minutes (
    org_id     text NOT NULL REFERENCES orgs,
    at         timestamptz NOT NULL,
    face       text NOT NULL,
    calls      bigint NOT NULL,
    writes     bigint NOT NULL,
    recalls    bigint NOT NULL,
    hits       bigint NOT NULL,             -- recalls that found something
    tokens     bigint NOT NULL,             -- given to a model: of recalls and contexts
    evictions  bigint NOT NULL,
    seconds    double precision NOT NULL,   -- that all calls took
    PRIMARY KEY (org_id, at, face)
);
CALL wall_off('usage_minutes');
