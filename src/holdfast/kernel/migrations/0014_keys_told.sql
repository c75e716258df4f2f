-- Processes keep what they looked up about API keys (kernel/keyring.py). Whatever may change that is told when it
-- commits, also when it is changed by hand. What is new needs no telling: only what is there is kept.
CREATE FUNCTION tell_keys_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('holdfast_keys', '');
    RETURN NULL;
END $$;

CREATE TRIGGER keys_told AFTER UPDATE OR DELETE OR TRUNCATE ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_changed();
CREATE TRIGGER keys_told AFTER UPDATE OF org_id, id, workspace_id OR DELETE OR TRUNCATE ON agents
    FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_changed();
CREATE TRIGGER keys_told AFTER UPDATE OF org_id, id OR DELETE OR TRUNCATE ON workspaces
    FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_changed();
CREATE TRIGGER keys_told AFTER UPDATE OF org_id, id, owner, created_at OR DELETE OR TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_changed();
-- A key without a user speaks for the org's first owner.
CREATE TRIGGER owner_told AFTER INSERT ON users
    FOR EACH ROW WHEN (NEW.owner) EXECUTE FUNCTION tell_keys_changed();
