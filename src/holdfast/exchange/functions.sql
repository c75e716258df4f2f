-- Import of exported rows.

-- Writes rows of a table, each a JSON object as the export has it, into the entered org: for each, what became of it.
--   created    it was not there
--   unchanged  it is there, and the same
--   updated    it is there in an older version: the imported one took its place
--   kept       it is there in a newer version, which stays
--   clashed    something else has its name (an e-mail address, a key, a path): not imported
--   orphaned   what it belongs to is not there, or was not imported: not imported
-- A higher version is newer; of two rows with the same version, the one that changed later; in a `fresh` org, which has nothing
-- but what its making wrote, the imported one.
CREATE OR REPLACE FUNCTION exchange_import(in_table text, in_rows jsonb, in_fresh boolean)
    RETURNS TABLE (number bigint, outcome text)
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    org CONSTANT text := current_org();
    columns text;
    sets text;
    key_matches text;
    counts text;
    inserts text;
    item jsonb;
    present jsonb;
    merged jsonb;
    written bigint;
BEGIN
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
           string_agg(format('%1$I = r.%1$I', a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE a.attname <> 'org_id'),
           max(quote_ident(a.attname)) FILTER (WHERE a.attname IN ('version', 'revision'))
      INTO columns, sets, counts
      FROM pg_attribute a
     WHERE a.attrelid = format('public.%I', in_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND a.attidentity = '';
    SELECT string_agg(format('t.%1$I = r.%1$I', a.attname), ' AND ')
      INTO key_matches
      FROM pg_index i
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = format('public.%I', in_table)::regclass AND i.indisprimary;
    IF in_table = 'revisions' THEN
        counts := NULL;  -- a revision never changes: its version is part of its name
    END IF;
    inserts := format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1) r ON CONFLICT DO NOTHING',
                      in_table, columns);
    FOR number, item IN SELECT each.n, each.value || jsonb_build_object('org_id', org)
                          FROM jsonb_array_elements(in_rows) WITH ORDINALITY AS each (value, n)
    LOOP
        BEGIN
            EXECUTE inserts USING item;
            GET DIAGNOSTICS written = ROW_COUNT;
        EXCEPTION WHEN foreign_key_violation THEN
            outcome := 'orphaned';
            RETURN NEXT;
            CONTINUE;
        END;
        IF written = 1 THEN
            outcome := 'created';
            RETURN NEXT;
            CONTINUE;
        END IF;
        EXECUTE format('SELECT to_jsonb(t) FROM %1$I t, jsonb_populate_record(NULL::%1$I, $1) r WHERE %2$s', in_table, key_matches)
           INTO present USING item;
        -- Through the row's types, so that a time in another zone is the same time. Columns that do not travel keep what is there.
        EXECUTE format('SELECT to_jsonb(jsonb_populate_record(NULL::%I, $1))', in_table) INTO merged USING present || item;
        IF present IS NULL THEN
            outcome := 'clashed';
        ELSIF merged = present THEN
            outcome := 'unchanged';
        ELSIF counts IS NOT NULL
              AND ((item ->> counts)::bigint > (present ->> counts)::bigint
                   OR ((item ->> counts)::bigint = (present ->> counts)::bigint
                       AND (in_fresh OR (item ->> 'updated_at')::timestamptz > (present ->> 'updated_at')::timestamptz)))
        THEN
            EXECUTE format('UPDATE %1$I t SET %2$s FROM jsonb_populate_record(NULL::%1$I, $1) r WHERE %3$s',
                           in_table, sets, key_matches) USING merged;
            outcome := 'updated';
        ELSE
            outcome := 'kept';
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
