-- The functions of conversations.

-- The orgs in which something of conversations is expired: their ids and nothing else. Row-level security applies to the owner
-- of this function too, so it enters each org to look.
CREATE OR REPLACE FUNCTION conversations_to_sweep(in_now timestamptz, in_flushed_before timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entered CONSTANT text := coalesce(current_setting('holdfast.org', true), '');
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        PERFORM enter_org(org);
        IF EXISTS (SELECT FROM conversations c WHERE c.org_id = org AND c.expires_at <= in_now)
           OR EXISTS (SELECT FROM conversation_histories h WHERE h.org_id = org AND h.expires_at <= in_now)
           OR EXISTS (SELECT FROM conversation_flushed f WHERE f.org_id = org AND f.flushed_at < in_flushed_before) THEN
            RETURN NEXT org;
        END IF;
    END LOOP;
    PERFORM enter_org(entered);
END $$;

REVOKE ALL ON FUNCTION conversations_to_sweep FROM PUBLIC;
GRANT EXECUTE ON FUNCTION conversations_to_sweep TO holdfast_app;
