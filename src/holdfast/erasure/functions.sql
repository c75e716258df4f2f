-- Erasure: is anything left of a person that a receipt names?

-- Rows of the org that carry the person's id, by table and column; `older`: those that were there when the receipt was
-- written. The id itself is not kept: every id is compared by its salted digest. Which columns hold ids of people is read
-- from the catalogue, so that a table that is added later is searched too.
CREATE OR REPLACE FUNCTION erasure_left(in_salt text, in_person text, in_before timestamptz)
    RETURNS TABLE (place text, carried bigint, older bigint)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- A person who came back under the same id has a row in the directory since then.
    returned_at CONSTANT timestamptz := (
        SELECT u.created_at FROM users u
         WHERE u.org_id = current_org() AND encode(sha256(convert_to(in_salt || u.id, 'UTF8')), 'hex') = in_person);
    at record;
BEGIN
    FOR at IN
        SELECT c.relname::text AS name, a.attname::text AS person
          FROM pg_class c
          JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'org_id' AND NOT o.attisdropped
          JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
           AND (a.attname IN ('user_id', 'created_by', 'actor_id') OR (c.relname = 'users' AND a.attname = 'id'))
           AND has_table_privilege(c.oid, 'SELECT')
         ORDER BY 1, 2
    LOOP
        place := at.name || '.' || at.person;
        EXECUTE format(
            'SELECT count(*), count(*) FILTER (WHERE coalesce((to_jsonb(t) ->> ''created_at'')::timestamptz,'
            ' (to_jsonb(t) ->> ''started_at'')::timestamptz, $4, ''-infinity'') <= $3)'
            ' FROM %I t WHERE t.org_id = current_org()'
            ' AND encode(sha256(convert_to($1 || t.%I, ''UTF8'')), ''hex'') = $2', at.name, at.person)
           INTO carried, older USING in_salt, in_person, in_before, returned_at;
        IF carried > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
