-- Writing the passage index; search_functions.sql beside this file reads it, later_functions.sql brings it up to date when the
-- model or the language changes. Its tables have no policy and no grant (migrations/0004_recall.sql says why): these functions
-- run as their owner and take the org from the transaction's setting.

-- A scope is who may see a passage, written as one word ('memory/user:ana'): a caller's sight is a list of them, matched
-- by equality, so that a caller who sees a thousand passages pays for a thousand however large the org is. In the index it
-- is a number made from the org and the word; a table of scopes would make writers of a new one wait for each other.
CREATE OR REPLACE FUNCTION recall_scope_id(org_id text, scope text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || left(encode(sha256(convert_to(org_id || '/' || scope, 'UTF8')), 'hex'), 16))::bit(64)::bigint;

CREATE OR REPLACE FUNCTION recall_scope_ids(org_id text, scopes text[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT recall_scope_id(org_id, scope) FROM unnest(scopes) scope);

-- The words of a passage and how much each counts: in a key twice, in a summary half as much again as in the body.
CREATE OR REPLACE FUNCTION recall_counts(words tsvector) RETURNS TABLE (lexeme text, tf real)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT w.lexeme,
           (SELECT sum(CASE weight WHEN 'A' THEN 2.0 WHEN 'B' THEN 1.5 ELSE 1.0 END) FROM unnest(w.weights) weight)::real
      FROM unnest(words) w
     WHERE w.positions IS NOT NULL;
END;

-- The last 36 words of a body (about 200 characters).
CREATE OR REPLACE FUNCTION recall_tail(words tsvector) RETURNS TABLE (lexeme text, tf real)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH said AS (
        SELECT w.lexeme, word.position
          FROM unnest(words) w, unnest(w.positions, w.weights) word (position, weight)
         WHERE word.weight = 'D'
    )
    SELECT said.lexeme, count(*)::real
      FROM said
     WHERE said.position > (SELECT max(last.position) FROM said last) - 36
     GROUP BY said.lexeme;
END;

-- The words of a passage. A: key and literals, B: summary, C: category and tags, D: body.
CREATE OR REPLACE FUNCTION recall_words(
    config regconfig, literals text, head text, summary text, about text, body text
) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN literals::tsvector
        || setweight(to_tsvector(config, head), 'A')
        || setweight(to_tsvector(config, summary), 'B')
        || setweight(to_tsvector(config, about), 'C')
        || to_tsvector(config, body);

-- How many words the body and the summary have.
CREATE OR REPLACE FUNCTION recall_length(words tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT coalesce(sum(cardinality(w.positions)), 0)::integer FROM unnest(ts_filter(words, '{b,d}')) w);

-- Words that are new in a scope. Each is looked up by itself (OFFSET 0): planned as a join while the table was young, every
-- save read the whole vocabulary of its scope.
CREATE OR REPLACE FUNCTION recall_learn(in_org text, in_scope bigint, in_words tsvector) RETURNS void
    LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO recall_vocabulary (org_id, scope_id, lexeme)
    SELECT in_org, in_scope, word
      FROM unnest(tsvector_to_array(in_words)) word
     WHERE NOT EXISTS (SELECT FROM recall_vocabulary v
                        WHERE v.scope_id = in_scope AND v.lexeme = word /*citus: AND v.org_id = in_org */ OFFSET 0);
END;

-- Words that nothing in a scope says any more.
CREATE OR REPLACE FUNCTION recall_unlearn(in_org text, in_scope bigint, in_words tsvector) RETURNS void
    LANGUAGE sql VOLATILE
BEGIN ATOMIC
    -- A word that another transaction is taking away already is left to it: none waits for another here. Each word is a range
    -- of the B-tree: Postgres 15 would answer `= ANY` from the trigram index, which takes thirty times as long.
    DELETE FROM recall_vocabulary old
     USING unnest(tsvector_to_array(in_words)) AS gone (word),
           LATERAL (SELECT v.ctid AS row
                      FROM recall_vocabulary v
                     WHERE v.scope_id = in_scope AND v.lexeme BETWEEN gone.word AND gone.word
                       /*citus: AND v.org_id = in_org */
                       AND NOT EXISTS (SELECT FROM postings o
                                        WHERE o.scope_id = v.scope_id AND o.lexeme = v.lexeme AND o.tf > 0
                                          /*citus: AND o.org_id = in_org */)
                       FOR UPDATE SKIP LOCKED) unused
     WHERE old.ctid = unused.row /*citus: AND old.org_id = in_org */;
END;

-- The postings of a passage that has none: its own words, and the tail of what came before it in its session. Called by
-- functions that set the search path.
CREATE OR REPLACE FUNCTION recall_post(
    in_org text, in_scope bigint, in_passage bigint, in_object_id text, in_number integer, in_session text, in_words tsvector,
    in_length integer
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    before tsvector;
    tail_words integer;
BEGIN
    IF in_session IS NOT NULL AND in_number = 0 THEN
        SELECT p.words INTO before
          FROM passages p
         WHERE p.scope_id = in_scope AND p.session_id = in_session AND p.object_id < in_object_id /*citus: AND p.org_id = in_org */
         ORDER BY p.object_id DESC, p.number DESC
         LIMIT 1;
    END IF;
    IF before IS NULL THEN
        INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
        SELECT in_org, in_scope, own.lexeme, in_passage, own.tf, 0, in_length, 0
          FROM recall_counts(in_words) own;
        RETURN;
    END IF;
    SELECT coalesce(sum(t.tf), 0) INTO tail_words FROM recall_tail(before) t;
    INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
    SELECT in_org, in_scope, lexeme, in_passage, coalesce(own.tf, 0), coalesce(tail.tf, 0), in_length, tail_words
      FROM recall_counts(in_words) own
      FULL JOIN recall_tail(before) tail USING (lexeme);
END $$;

-- Writes the postings of a passage anew: its own words, and the tail of what came before it in its session.
CREATE OR REPLACE FUNCTION recall_write_postings(in_org text, in_passage bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    this passages;
BEGIN
    SELECT * INTO STRICT this FROM passages WHERE org_id = in_org AND id = in_passage;
    DELETE FROM postings WHERE passage_id = in_passage /*citus: AND org_id = in_org */;
    PERFORM recall_post(this.org_id, this.scope_id, this.id, this.object_id, this.number, this.session_id, this.words,
                        this.length);
END $$;

CREATE OR REPLACE FUNCTION recall_next(in_org text, in_scope bigint, in_session text, in_object_id text) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN (SELECT p.id FROM passages p
             WHERE p.scope_id = in_scope AND p.session_id = in_session AND p.object_id > in_object_id AND p.number = 0
               /*citus: AND p.org_id = in_org */
             ORDER BY p.object_id LIMIT 1);

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
        DELETE FROM postings WHERE passage_id = gone.id /*citus: AND org_id = in_org */;
        PERFORM recall_unlearn(in_org, gone.scope_id, gone.words);
        IF gone.session_id IS NOT NULL AND gone.number = 0 THEN
            next_passage := recall_next(in_org, gone.scope_id, gone.session_id, in_object_id);
        END IF;
    END LOOP;
    RETURN next_passage;
END $$;

-- Writes anew what follows a change in its session; what another transaction is writing at this moment is left to it. One that
-- adds a vector (it holds the key) writes no words.
CREATE OR REPLACE FUNCTION recall_refresh(in_org text, in_passage bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM passages p WHERE p.org_id = in_org AND p.id = in_passage FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
        PERFORM recall_write_postings(in_org, in_passage);
    END IF;
END $$;

-- Whether the vector of a passage goes into the HNSW index: from 2,500 passages of the org on. An insert into that index costs more
-- than the rest of a save together, and a scope is asked by it from 10,000 passages on; until then nobody in the org needs it.
-- What lies beside the index is compared whole by recall_near_by_index. Passages are counted at every 64th, until the first vector
-- is in.
CREATE OR REPLACE FUNCTION recall_is_indexed(in_org text, in_model integer, in_passage bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN EXISTS (SELECT FROM passage_vectors v WHERE v.org_id = in_org AND v.model_id = in_model AND v.indexed)
        OR (in_passage % 64 = 0
            AND (SELECT count(*) FROM (SELECT FROM passages p WHERE p.org_id = in_org LIMIT 2500) few) = 2500);
END $$;

-- Puts an object into the index in place of what it said before. `in_literals` are word vectors of what no language's
-- parser keeps whole: identifiers, and the character pairs of scripts that write no spaces. `in_vectors` is NULL when
-- the embedding follows later; `in_underway` says that this process is making it. Gives the name of the model that serves.
CREATE OR REPLACE FUNCTION recall_put(
    in_org text, in_kind text, in_object_id text, in_scope text, in_workspace_id text, in_session_id text, in_actor text,
    in_labels text[], in_at timestamptz, in_updated_at timestamptz, in_until timestamptz, in_importance integer,
    in_pinned boolean, in_head text, in_summary text, in_about text, in_bodies text[], in_literals text[],
    in_starts integer[], in_ends integer[], in_vectors text[], in_tokens bytea[], in_model text, in_underway boolean
) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    config regconfig := (SELECT language::regconfig FROM orgs WHERE org_id = in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    of_scope CONSTANT bigint := recall_scope_id(in_org, in_scope);
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
        PERFORM recall_post(this.org_id, this.scope_id, this.id, this.object_id, this.number, this.session_id, this.words,
                            this.length);
        PERFORM recall_learn(org, of_scope, new_words);
        IF in_vectors[n] IS NOT NULL AND model IS NOT NULL THEN
            INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding, tokens, indexed)
            SELECT org, model, this.id, of_scope, vector_dims(given), given, in_tokens[n], recall_is_indexed(org, model, this.id)
              FROM (SELECT in_vectors[n]::halfvec AS given) vector;
        ELSIF in_underway THEN
            INSERT INTO embeddings_underway (org_id, passage_id, scope_id) VALUES (org, this.id, of_scope);
        END IF;
    END LOOP;

    IF in_session_id IS NOT NULL THEN
        -- What follows here and now may not be what followed where it was.
        IF follows IS NOT NULL THEN
            PERFORM recall_refresh(org, follows);
        END IF;
        follows := recall_next(org, of_scope, in_session_id, in_object_id);
    END IF;
    IF follows IS NOT NULL THEN
        PERFORM recall_refresh(org, follows);
    END IF;
    IF in_actor IS NOT NULL THEN
        INSERT INTO recall_actors (org_id, scope_id, word)
        SELECT org, of_scope, name.word
          FROM regexp_split_to_table(lower(in_actor), '[^[:alnum:]]+') name (word)
         WHERE name.word <> ''
           AND NOT EXISTS (SELECT FROM recall_actors a
                            WHERE a.scope_id = of_scope AND a.word = name.word /*citus: AND a.org_id = org */);
    END IF;
    RETURN (SELECT m.name FROM embedding_models m WHERE m.active);
END $$;

-- Takes objects out of the index. What follows one in its session was embedded with its last words as context: that vector is
-- taken away too, so that nothing of what was dropped stays; whether there was one, which then must be made anew.
CREATE OR REPLACE FUNCTION recall_drop(in_org text, in_kind text, in_object_ids text[]) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    dropped text;
    follows bigint;
    stale boolean := false;
BEGIN
    FOREACH dropped IN ARRAY in_object_ids LOOP
        follows := recall_take_out(org, in_kind, dropped);
        IF follows IS NOT NULL THEN
            PERFORM recall_refresh(org, follows);
            -- One that is being made has read them too. First: where it is being added, this waits until it can be seen.
            DELETE FROM embeddings_underway u WHERE u.org_id = org AND u.passage_id = follows;
            stale := stale OR FOUND;
            DELETE FROM passage_vectors v WHERE v.org_id = org AND v.passage_id = follows AND v.tokens IS NOT NULL;
            stale := stale OR FOUND;
        END IF;
    END LOOP;
    RETURN stale;
END $$;

-- Takes a whole scope out of the index.
CREATE OR REPLACE FUNCTION recall_drop_scope(in_org text, in_scope text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    of_scope CONSTANT bigint := recall_scope_id(in_org, in_scope);
BEGIN
    DELETE FROM postings WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM passages WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM recall_vocabulary WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM recall_actors WHERE org_id = org AND scope_id = of_scope;
END $$;

-- --- what the service may call, for the org of its transaction ----------------------------------------------------------

REVOKE ALL ON FUNCTION
    recall_counts, recall_tail, recall_words, recall_length, recall_learn, recall_unlearn, recall_post,
    recall_write_postings, recall_next, recall_take_out, recall_refresh, recall_is_indexed, recall_put, recall_drop, recall_drop_scope
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    recall_put, recall_drop, recall_drop_scope
    TO holdfast_app;
