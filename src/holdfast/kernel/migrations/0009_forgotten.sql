-- What was erased or redacted of late: a request that read it before and keeps its answer after finds it here, and keeps
-- no word of it. The numbers of an org rise in the order of its commits, since each is drawn under a lock that is held
-- until then. A crash that empties the table has ended every request that would have asked.
CREATE UNLOGGED TABLE forgotten (
    org_id        text NOT NULL,
    number        bigint GENERATED ALWAYS AS IDENTITY,
    object_id     text NOT NULL,
    forgotten_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, number)
);
CALL wall_off('forgotten');
