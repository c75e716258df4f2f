-- The functions of conversations.

-- The orgs in which something of conversations is past its time: their ids and nothing else. The walls hold the owner of this
-- function too, so it enters each org to look.
CREATE OR REPLACE FUNCTION conversations_to_sweep(in_now timestamptz, in_flushed_before timestamptz) RETURNS SETOF text
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
