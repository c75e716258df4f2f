-- When an org changes its language, a job puts what is there into the words of the new one: in place, so that ids and
-- vectors stay. What recall_put and recall_take_out share with it are functions of their own from here on.

-- The words of a passage. A: key and literals, B: summary, C: category and tags, D: body.
CREATE FUNCTION recall_words(
    config regconfig, literals text, head text, summary text, about text, body text
) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN literals::tsvector
        || setweight(to_tsvector(config, head), 'A')
        || setweight(to_tsvector(config, summary), 'B')
        || setweight(to_tsvector(config, about), 'C')
        || to_tsvector(config, body);

-- How many words the body and the summary have.
CREATE FUNCTION recall_length(words tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT coalesce(sum(cardinality(w.positions)), 0)::integer FROM unnest(ts_filter(words, '{b,d}')) w);

-- Words that a scope has not had.
CREATE FUNCTION recall_learn(in_org text, in_scope bigint, in_words tsvector) RETURNS void
    LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO recall_vocabulary (org_id, scope_id, lexeme)
    SELECT in_org, in_scope, word
      FROM unnest(tsvector_to_array(in_words)) word
     WHERE NOT EXISTS (SELECT FROM recall_vocabulary v WHERE v.scope_id = in_scope AND v.lexeme = word);
END;

-- Words that nothing in a scope says any more.
CREATE FUNCTION recall_unlearn(in_scope bigint, in_words tsvector) RETURNS void
    LANGUAGE sql VOLATILE
BEGIN ATOMIC
    -- A word that another transaction is taking away already is left to it: none waits for another here.
    DELETE FROM recall_vocabulary old
     USING (SELECT v.ctid AS row
              FROM recall_vocabulary v
             WHERE v.scope_id = in_scope AND v.lexeme = ANY (tsvector_to_array(in_words))
               AND NOT EXISTS (SELECT FROM postings o
                                WHERE o.scope_id = v.scope_id AND o.lexeme = v.lexeme AND o.tf > 0)
               FOR UPDATE SKIP LOCKED) unused
     WHERE old.ctid = unused.row;
END;

-- The postings of a passage that has none (called by functions that set the search path): its own words, and the tail of what came before it in its session.
CREATE FUNCTION recall_post(this passages) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    before tsvector;
    tail_words integer;
BEGIN
    IF this.session_id IS NOT NULL AND this.number = 0 THEN
        SELECT p.words INTO before
          FROM passages p
         WHERE p.scope_id = this.scope_id AND p.session_id = this.session_id AND p.object_id < this.object_id
         ORDER BY p.object_id DESC, p.number DESC
         LIMIT 1;
    END IF;
    IF before IS NULL THEN
        INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
        SELECT this.org_id, this.scope_id, own.lexeme, this.id, own.tf, 0, this.length, 0
          FROM recall_counts(this.words) own;
        RETURN;
    END IF;
    SELECT coalesce(sum(t.tf), 0) INTO tail_words FROM recall_tail(before) t;
    INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
    SELECT this.org_id, this.scope_id, lexeme, this.id, coalesce(own.tf, 0), coalesce(tail.tf, 0), this.length, tail_words
      FROM recall_counts(this.words) own
      FULL JOIN recall_tail(before) tail USING (lexeme);
END $$;

CREATE OR REPLACE FUNCTION recall_write_postings(in_org text, in_passage bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    this passages;
BEGIN
    SELECT * INTO STRICT this FROM passages WHERE org_id = in_org AND id = in_passage;
    DELETE FROM postings WHERE passage_id = in_passage;
    PERFORM recall_post(this);
END $$;

-- Takes an object out of the index, and its words out of what was built from them; gives back the first passage of what
-- follows it in its session, whose tail it was.
CREATE OR REPLACE FUNCTION recall_take_out(in_org text, in_kind text, in_object_id text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    gone passages;
    next_passage bigint;
BEGIN
    FOR gone IN DELETE FROM passages p
                 WHERE p.org_id = in_org AND p.kind = in_kind AND p.object_id = in_object_id
                RETURNING p.*
    LOOP
        DELETE FROM postings WHERE passage_id = gone.id;
        PERFORM recall_unlearn(gone.scope_id, gone.words);
        IF gone.session_id IS NOT NULL AND gone.number = 0 THEN
            next_passage := recall_next(gone.scope_id, gone.session_id, in_object_id);
        END IF;
    END LOOP;
    RETURN next_passage;
END $$;

-- Puts an object into the index in place of what it said before. `in_literals` are word vectors of what no language's
-- parser keeps whole: identifiers, and the character pairs of scripts that write no spaces. `in_vectors` is NULL when
-- the embedding follows later. Gives the name of the model that serves.
CREATE OR REPLACE FUNCTION recall_put(
    in_kind text, in_object_id text, in_scope text, in_workspace_id text, in_session_id text, in_actor text,
    in_labels text[], in_at timestamptz, in_updated_at timestamptz, in_until timestamptz, in_importance integer,
    in_pinned boolean, in_head text, in_summary text, in_about text, in_bodies text[], in_literals text[],
    in_starts integer[], in_ends integer[], in_vectors text[], in_model text
) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org text := current_org();
    config regconfig := (SELECT language::regconfig FROM orgs WHERE org_id = current_org());
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    of_scope CONSTANT bigint := recall_scope_id(current_org(), in_scope);
    follows bigint;
    this passages;
    new_words tsvector;
BEGIN
    follows := recall_take_out(org, in_kind, in_object_id);

    FOR n IN 1 .. cardinality(in_bodies) LOOP
        new_words := recall_words(config, in_literals[n], in_head, in_summary, in_about, in_bodies[n]);
        INSERT INTO passages (org_id, scope_id, kind, object_id, number, starts, ends, workspace_id, session_id, actor,
                              labels, words, length, at, updated_at, until, importance, pinned)
        VALUES (org, of_scope, in_kind, in_object_id, n - 1, in_starts[n], in_ends[n], in_workspace_id, in_session_id,
                in_actor, in_labels, new_words,
                recall_length(new_words),
                in_at, in_updated_at, in_until, in_importance, in_pinned)
        RETURNING * INTO this;
        PERFORM recall_post(this);
        PERFORM recall_learn(org, of_scope, new_words);
        IF in_vectors[n] IS NOT NULL AND model IS NOT NULL THEN
            INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)
            SELECT org, model, this.id, of_scope, vector_dims(given), given
              FROM (SELECT in_vectors[n]::halfvec AS given) vector;
        END IF;
    END LOOP;

    IF in_session_id IS NOT NULL THEN
        -- What follows here and now may not be what followed where it was.
        IF follows IS NOT NULL THEN
            PERFORM recall_refresh(org, follows);
        END IF;
        follows := recall_next(of_scope, in_session_id, in_object_id);
    END IF;
    IF follows IS NOT NULL THEN
        PERFORM recall_refresh(org, follows);
    END IF;
    IF in_actor IS NOT NULL THEN
        INSERT INTO recall_actors (org_id, scope_id, word)
        SELECT org, of_scope, name.word
          FROM regexp_split_to_table(lower(in_actor), '[^[:alnum:]]+') name (word)
         WHERE name.word <> ''
           AND NOT EXISTS (SELECT FROM recall_actors a WHERE a.scope_id = of_scope AND a.word = name.word);
    END IF;
    RETURN (SELECT m.name FROM embedding_models m WHERE m.active);
END $$;

-- Objects of the org in the order of their passages.
CREATE FUNCTION recall_objects(in_after bigint, in_limit integer)
    RETURNS TABLE (kind text, object_id text, last_passage bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT p.kind, p.object_id, max(p.id)
      FROM (SELECT i.kind, i.object_id, i.id
              FROM passages i
             WHERE i.org_id = current_org() AND i.id > in_after
             ORDER BY i.id
             LIMIT in_limit) p
     GROUP BY p.kind, p.object_id
     ORDER BY 3;
END $$;

-- Says an object's passages in the words of the org's language, unless it changed since it was read; how many.
CREATE FUNCTION recall_reword(
    in_kind text, in_object_id text, in_updated_at timestamptz, in_head text, in_summary text, in_about text,
    in_bodies text[], in_literals text[]
) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := current_org();
    config CONSTANT regconfig := (SELECT language::regconfig FROM orgs WHERE org_id = current_org());
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
        PERFORM recall_unlearn(old.scope_id, old.words);
        -- What follows in its session has its last words beside its own; what comes later in the index is reworded anyway.
        IF old.session_id IS NOT NULL AND old.number = 0 THEN
            follows := recall_next(old.scope_id, old.session_id, in_object_id);
            IF follows < old.id THEN
                PERFORM recall_refresh(org, follows);
            END IF;
        END IF;
        reworded := reworded + 1;
    END LOOP;
    RETURN reworded;
END $$;

REVOKE ALL ON FUNCTION recall_post, recall_words, recall_length, recall_learn, recall_unlearn, recall_objects, recall_reword FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recall_objects, recall_reword TO holdfast_app;
