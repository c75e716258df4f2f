-- The passage index brought up to date: models, vectors that follow later, another language. functions.sql beside this file
-- says who may call what.

-- Makes a model known; the first one serves from then on. Gives the name of the one that serves.
CREATE OR REPLACE FUNCTION recall_register(in_model text) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM embedding_models WHERE name = in_model) THEN
        INSERT INTO embedding_models (name, active)
        SELECT in_model, NOT EXISTS (SELECT FROM embedding_models WHERE active)
            ON CONFLICT DO NOTHING;
        INSERT INTO embedding_models (name) VALUES (in_model) ON CONFLICT DO NOTHING;
    END IF;
    RETURN (SELECT name FROM embedding_models WHERE active);
END $$;

-- Objects of the org with a passage that has no vector of this model, in the order of their passages.
CREATE OR REPLACE FUNCTION recall_missing(in_org text, in_model text, in_after bigint, in_limit integer)
    RETURNS TABLE (kind text, object_id text, last_passage bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
BEGIN
    RETURN QUERY
    SELECT p.kind, p.object_id, max(p.id)
      FROM (SELECT i.kind, i.object_id, i.id
              FROM passages i
             WHERE i.org_id = org AND i.id > in_after
               AND NOT EXISTS (SELECT FROM passage_vectors v
                                WHERE v.org_id = i.org_id AND v.passage_id = i.id
                                  AND v.model_id = model)
             ORDER BY i.id
             LIMIT in_limit) p
     GROUP BY p.kind, p.object_id
     ORDER BY 3;
END $$;

CREATE OR REPLACE FUNCTION recall_progress(in_org text, in_model text) RETURNS TABLE (passages bigint, embedded bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
BEGIN
    RETURN QUERY SELECT
        (SELECT count(*) FROM passages p WHERE p.org_id = org),
        (SELECT count(*) FROM passage_vectors v WHERE v.org_id = org AND v.model_id = model);
END $$;

-- Takes a passage off the list of those whose vectors are being made; false where it was not there, or is locked.
CREATE OR REPLACE FUNCTION recall_take_off_the_list(in_org text, in_passage bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM embeddings_underway u WHERE u.org_id = in_org AND u.passage_id = in_passage FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        DELETE FROM embeddings_underway u WHERE u.org_id = in_org AND u.passage_id = in_passage;
    END IF;
    RETURN FOUND;
END $$;

-- Gives an object's passages the vectors of a model, unless the object changed since it was read.
CREATE OR REPLACE FUNCTION recall_fill(
    in_org text, in_kind text, in_object_id text, in_updated_at timestamptz, in_vectors text[], in_tokens bytea[], in_model text
) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    filled integer := 0;
    this record;
BEGIN
    FOR this IN SELECT p.id, p.scope_id, in_vectors[p.number + 1]::halfvec AS vector, in_tokens[p.number + 1] AS tokens
                  FROM passages p
                 WHERE p.org_id = org AND p.kind = in_kind AND p.object_id = in_object_id AND p.updated_at = in_updated_at
                   AND p.number < cardinality(in_vectors) AND model IS NOT NULL
                   FOR KEY SHARE SKIP LOCKED
    LOOP
        INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding, tokens, indexed)
        VALUES (org, model, this.id, this.scope_id, vector_dims(this.vector), this.vector, this.tokens,
                recall_is_indexed(org, model, this.id))
            ON CONFLICT DO NOTHING;
        IF FOUND THEN
            filled := filled + 1;
        END IF;
        PERFORM recall_take_off_the_list(org, this.id);
    END LOOP;
    RETURN filled;
END $$;

-- Gives an object's passages the vectors that the process which put them has made since; gives the name of the model that serves. It
-- passes over a passage that changed since, whose context was taken out, or that was handed to a job.
--
-- It waits for nobody, so that no writer who waits for it can be waited for: what another transaction has locked is being changed, or
-- is left to a job.
CREATE OR REPLACE FUNCTION recall_follow(
    in_org text, in_kind text, in_object_id text, in_updated_at timestamptz, in_vectors text[], in_tokens bytea[], in_model text
) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    this record;
BEGIN
    FOR this IN SELECT p.id, p.scope_id, in_vectors[p.number + 1]::halfvec AS vector, in_tokens[p.number + 1] AS tokens
                  FROM passages p
                 WHERE p.org_id = org AND p.kind = in_kind AND p.object_id = in_object_id AND p.updated_at = in_updated_at
                   AND p.number < cardinality(in_vectors) AND model IS NOT NULL
                   FOR KEY SHARE SKIP LOCKED
    LOOP
        CONTINUE WHEN NOT recall_take_off_the_list(org, this.id);
        INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding, tokens, indexed)
        VALUES (org, model, this.id, this.scope_id, vector_dims(this.vector), this.vector, this.tokens,
                recall_is_indexed(org, model, this.id))
            ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN (SELECT m.name FROM embedding_models m WHERE m.active);
END $$;

-- The orgs with passages whose vectors were to follow, and did not since `before`.
CREATE OR REPLACE FUNCTION recall_orgs_left_behind(before timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org text;
BEGIN
    FOR org IN SELECT o.org_id FROM orgs o LOOP
        IF EXISTS (SELECT FROM embeddings_underway u WHERE u.org_id = org AND u.since < before) THEN
            RETURN NEXT org;
        END IF;
    END LOOP;
END $$;

-- Takes these passages of an org off the list, for a job to embed: how many.
CREATE OR REPLACE FUNCTION recall_hand_over(in_org text, before timestamptz) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    taken integer := 0;
    left_behind bigint;
BEGIN
    FOR left_behind IN SELECT u.passage_id FROM embeddings_underway u WHERE u.org_id = org AND u.since < before LOOP
        taken := taken + recall_take_off_the_list(org, left_behind)::integer;
    END LOOP;
    RETURN taken;
END $$;

-- What was put just before an object in its session, in the same scope; '' where it was the first.
CREATE OR REPLACE FUNCTION recall_previous(in_org text, in_scope text, in_session_id text, in_object_id text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
BEGIN
    RETURN coalesce(
        (SELECT p.object_id FROM passages p
          WHERE p.scope_id = recall_scope_id(org, in_scope) AND p.session_id = in_session_id
            AND p.object_id < in_object_id /*citus: AND p.org_id = org */
          ORDER BY p.object_id DESC
          LIMIT 1), '');
END $$;

-- Whether an object has passages.
CREATE OR REPLACE FUNCTION recall_has(in_org text, in_kind text, in_object_id text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
BEGIN
    RETURN EXISTS (SELECT FROM passages p
                    WHERE p.org_id = org AND p.kind = in_kind AND p.object_id = in_object_id);
END $$;

-- Objects of the org in the order of their passages.
CREATE OR REPLACE FUNCTION recall_objects(in_org text, in_after bigint, in_limit integer)
    RETURNS TABLE (kind text, object_id text, last_passage bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
BEGIN
    RETURN QUERY
    SELECT p.kind, p.object_id, max(p.id)
      FROM (SELECT i.kind, i.object_id, i.id
              FROM passages i
             WHERE i.org_id = org AND i.id > in_after
             ORDER BY i.id
             LIMIT in_limit) p
     GROUP BY p.kind, p.object_id
     ORDER BY 3;
END $$;

-- Says an object's passages in the words of the org's language, unless it changed since it was read; how many.
CREATE OR REPLACE FUNCTION recall_reword(
    in_org text, in_kind text, in_object_id text, in_updated_at timestamptz, in_head text, in_summary text, in_about text,
    in_bodies text[], in_literals text[]
) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    config CONSTANT regconfig := (SELECT language::regconfig FROM orgs WHERE org_id = in_org);
    old passages;
    new_words tsvector;
    follows bigint;
    reworded integer := 0;
BEGIN
    FOR old IN SELECT * FROM passages p
                WHERE p.org_id = org AND p.kind = in_kind AND p.object_id = in_object_id AND p.updated_at = in_updated_at
                  AND p.number < cardinality(in_bodies)
                ORDER BY p.number
                  FOR UPDATE
    LOOP
        new_words := recall_words(config, in_literals[old.number + 1], in_head, in_summary, in_about,
                                  in_bodies[old.number + 1]);
        UPDATE passages p SET words = new_words, length = recall_length(new_words) WHERE p.org_id = org AND p.id = old.id;
        PERFORM recall_write_postings(org, old.id);
        PERFORM recall_learn(org, old.scope_id, new_words);
        PERFORM recall_unlearn(org, old.scope_id, old.words);
        -- What follows in its session has its last words beside its own; what comes later in the index is reworded anyway.
        IF old.session_id IS NOT NULL AND old.number = 0 THEN
            follows := recall_next(org, old.scope_id, old.session_id, in_object_id);
            IF follows < old.id THEN
                PERFORM recall_refresh(org, follows);
            END IF;
        END IF;
        reworded := reworded + 1;
    END LOOP;
    RETURN reworded;
END $$;

REVOKE ALL ON FUNCTION
    recall_register, recall_missing, recall_progress, recall_take_off_the_list, recall_fill, recall_follow, recall_orgs_left_behind,
    recall_hand_over, recall_has, recall_previous, recall_objects, recall_reword
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    recall_register, recall_missing, recall_progress, recall_fill, recall_follow, recall_orgs_left_behind, recall_hand_over,
    recall_has, recall_previous, recall_objects, recall_reword
    TO holdfast_app;
