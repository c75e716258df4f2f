-- Functions that the tables themselves use, in policies, triggers and `CALL wall_off(…)`: they are made before the tables.
-- Tables depend on them, so a signature can change only together with a migration that takes the old uses away.

-- The org of this transaction. On a pooled connection the setting is '' once its transaction is over, so a transaction
-- that never named its org is an error here rather than an empty answer.
CREATE OR REPLACE FUNCTION current_org() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    org text := current_setting('holdfast.org', true);
BEGIN
    IF org IS NULL OR org = '' THEN
        RAISE EXCEPTION 'no org is set for this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN org;
END $$;

-- What proves who is asking before any org is known: the digest of a key or cookie, or the e-mail address signing in.
-- A row that matches the proof may be read; nothing else is opened by it.
CREATE OR REPLACE FUNCTION current_proof() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('holdfast.proof', true), '');

-- Enters an org for the rest of the transaction. On Citus by SET LOCAL, which the coordinator repeats on every worker that
-- the transaction reaches; set_config stays where it is called.
CREATE OR REPLACE FUNCTION enter_org(org text) RETURNS text
    LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    /*citus: EXECUTE format('SET LOCAL holdfast.org = %L', org); */
    RETURN set_config('holdfast.org', org, true);
END $$;

-- The org that a function was given, which must be the one that was entered: functions that run as their owner take it as an
-- argument, so that Citus can run the whole call on the node that holds the org.
CREATE OR REPLACE FUNCTION entered_org(org text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF org IS DISTINCT FROM current_org() THEN
        RAISE EXCEPTION 'another org was entered by this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN org;
END $$;

-- Puts the tenant wall around a table; each migration that makes a content table calls it. The policy has no sub-select, which
-- Citus refuses: where a statement compares org_id too, the planner compares the two values once, not once per row.
CREATE OR REPLACE PROCEDURE wall_off(name regclass)
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY of_this_org ON %s USING (org_id = current_org())'
        ' WITH CHECK (org_id = current_org())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO holdfast_app', name);
END $$;

-- Empties the caches of API key lookups (kernel/key_cache.py) once the transaction commits; see 0003_access.sql.
CREATE OR REPLACE FUNCTION notify_keys_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('holdfast_keys', '');
    RETURN NULL;
END $$;

-- The names that an object carries, as one text. Used in generated columns; kernel/sight.py has the same in Python.
CREATE OR REPLACE FUNCTION audience(project text, "user" text, agent text, workspace text, run text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(nullif(concat_ws('+', 'workspace:' || workspace, 'project:' || project, 'agent:' || agent,
                                     'user:' || "user", 'run:' || run), ''), 'org');
