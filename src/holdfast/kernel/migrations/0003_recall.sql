-- Recall: one index of passages under every face.
--
-- The index holds ids, word vectors and embeddings, never content. Under a row-level policy Postgres would not use it
-- (word and distance operators are not leakproof), so these tables have no policy and no grant: the service's role reaches
-- them only through the functions below, which run as the owner and take the org from the transaction's setting.
-- Plain indexes start with scope_id, which belongs to one org; keys and unique indexes start with org_id.

-- A scope is who may see a passage, written as one word ('memory/global:ana'): a caller's sight is a list of them, matched
-- by equality, so that a caller who sees a thousand passages pays for a thousand however large the org is. In the index it
-- is a number made from the org and the word; a table of scopes would make writers of a new one wait for each other.
CREATE FUNCTION recall_scope_id(org_id text, scope text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || left(encode(sha256(convert_to(org_id || '/' || scope, 'UTF8')), 'hex'), 16))::bit(64)::bigint;

CREATE FUNCTION recall_scope_ids(org_id text, scopes text[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT recall_scope_id(org_id, scope) FROM unnest(scopes) scope);

-- What an object says, cut where it is long.
CREATE TABLE passages (
    org_id        text NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    scope_id      bigint NOT NULL,
    kind          text NOT NULL,
    object_id     text NOT NULL,
    number        integer NOT NULL,      -- from 0, within its object
    starts        integer NOT NULL,      -- where it stands in the object's content, in characters
    ends          integer NOT NULL,
    workspace_id  text,
    session_id    text,
    actor         text,                  -- who said it, as the writer recorded it
    labels        text[] NOT NULL,       -- what a call may filter by: 'category:fact', 'tag:tea'
    words         tsvector NOT NULL,     -- A: key and literals, B: summary, C: category and tags, D: body
    length        integer NOT NULL,      -- of the body, in words
    at            timestamptz NOT NULL,  -- when what it says was so
    updated_at    timestamptz NOT NULL,
    until         timestamptz,           -- never returned from then on
    importance    smallint NOT NULL,
    pinned        boolean NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, kind, object_id, number)
);
CREATE INDEX passages_by_scope ON passages (scope_id) INCLUDE (length);
CREATE INDEX passages_by_session ON passages (scope_id, session_id, object_id, number) WHERE session_id IS NOT NULL;
-- One in 64, to measure a large scope without counting it.
CREATE INDEX passages_sample ON passages (scope_id) INCLUDE (length) WHERE id % 64 = 0;

-- Each word of each passage, for BM25. `tail` counts it in the last words of what was said just before in the same
-- session: a short turn ("Yes, last May") is found by what it answers.
CREATE TABLE postings (
    org_id       text NOT NULL,
    scope_id     bigint NOT NULL,
    lexeme       text NOT NULL,
    passage_id   bigint NOT NULL,
    tf           real NOT NULL,
    tail         real NOT NULL,
    length       integer NOT NULL,
    tail_length  integer NOT NULL,
    -- Roughly what the word counts for in its passage; a frequent word's best passages are read first.
    impact       real NOT NULL GENERATED ALWAYS AS ((tf + tail) / (tf + tail + 0.04 * (length + tail_length))) STORED
);
CREATE INDEX postings_by_lexeme ON postings (scope_id, lexeme, impact DESC)
    INCLUDE (passage_id, tf, tail, length, tail_length);
CREATE INDEX postings_by_passage ON postings (passage_id);
CREATE INDEX postings_sample ON postings (scope_id, lexeme) WHERE passage_id % 64 = 0;

-- The words of a scope, for those that a query spells otherwise.
CREATE TABLE recall_vocabulary (
    org_id    text NOT NULL,
    scope_id  bigint NOT NULL,
    lexeme    text NOT NULL
);
-- Not unique: two writers of a new word need not wait for each other, and a word that is there twice does no harm.
CREATE INDEX recall_vocabulary_by_lexeme ON recall_vocabulary (scope_id, lexeme);
CREATE INDEX recall_vocabulary_by_trigram ON recall_vocabulary USING gin (scope_id, lexeme gin_trgm_ops);

-- The words of those who speak in a scope. Their names say nothing about what was said, so they are kept out of the
-- vector of a query.
CREATE TABLE recall_actors (
    org_id    text NOT NULL,
    scope_id  bigint NOT NULL,
    word      text NOT NULL
);
CREATE INDEX recall_actors_by_word ON recall_actors (scope_id, word);

-- The models that made the vectors here. One is active; another may be being prepared to take its place.
CREATE TABLE embedding_models (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    active      boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX embedding_models_one_active ON embedding_models (active) WHERE active;

CREATE TABLE passage_vectors (
    org_id      text NOT NULL,
    model_id    integer NOT NULL,
    passage_id  bigint NOT NULL,
    scope_id    bigint NOT NULL,
    dimensions  integer NOT NULL,
    embedding   halfvec NOT NULL,
    PRIMARY KEY (org_id, model_id, passage_id),
    FOREIGN KEY (org_id, passage_id) REFERENCES passages ON DELETE CASCADE
);
CREATE INDEX passage_vectors_by_passage ON passage_vectors (org_id, passage_id);
CREATE INDEX passage_vectors_by_scope ON passage_vectors (scope_id, model_id);
-- For scopes too large to compare whole. `holdfast reembed` makes one for a model with another number of dimensions.
CREATE INDEX passage_vectors_384 ON passage_vectors USING hnsw ((embedding::halfvec(384)) halfvec_ip_ops)
    WHERE dimensions = 384;

-- What an org chose for its ranking; unset is the default (kernel/recall/fusion.py).
ALTER TABLE orgs ADD COLUMN recall_weights jsonb;

-- --- writing --------------------------------------------------------------------------------------------------------

-- The words of a passage and how much each counts: in a key twice, in a summary half as much again as in the body.
CREATE FUNCTION recall_counts(words tsvector) RETURNS TABLE (lexeme text, tf real)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT w.lexeme,
           (SELECT sum(CASE weight WHEN 'A' THEN 2.0 WHEN 'B' THEN 1.5 ELSE 1.0 END) FROM unnest(w.weights) weight)::real
      FROM unnest(words) w
     WHERE w.positions IS NOT NULL;
END;

-- The last 36 words of a body (about 200 characters).
CREATE FUNCTION recall_tail(words tsvector) RETURNS TABLE (lexeme text, tf real)
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

-- Writes the postings of a passage anew: its own words, and the tail of what came before it in its session.
CREATE FUNCTION recall_write_postings(in_org text, in_passage bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    this passages;
    before tsvector;
    tail_words integer;
BEGIN
    SELECT * INTO STRICT this FROM passages WHERE org_id = in_org AND id = in_passage;
    DELETE FROM postings WHERE passage_id = in_passage;
    IF this.session_id IS NOT NULL AND this.number = 0 THEN
        SELECT p.words INTO before
          FROM passages p
         WHERE p.scope_id = this.scope_id AND p.session_id = this.session_id AND p.object_id < this.object_id
         ORDER BY p.object_id DESC, p.number DESC
         LIMIT 1;
    END IF;
    SELECT coalesce(sum(t.tf), 0) INTO tail_words FROM recall_tail(before) t;
    INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
    SELECT in_org, this.scope_id, lexeme, in_passage, coalesce(own.tf, 0), coalesce(tail.tf, 0), this.length, tail_words
      FROM recall_counts(this.words) own
      FULL JOIN recall_tail(before) tail USING (lexeme);
END $$;

-- Takes an object out of the index, and its words out of what was built from them; gives back the first passage of what
-- follows it in its session, whose tail it was.
CREATE FUNCTION recall_take_out(in_org text, in_kind text, in_object_id text) RETURNS bigint
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
        -- A word that another transaction is taking away already is left to it: none waits for another here.
        DELETE FROM recall_vocabulary old
         USING (SELECT v.ctid AS row
                  FROM recall_vocabulary v
                 WHERE v.scope_id = gone.scope_id AND v.lexeme = ANY (tsvector_to_array(gone.words))
                   AND NOT EXISTS (SELECT FROM postings o
                                    WHERE o.scope_id = v.scope_id AND o.lexeme = v.lexeme AND o.tf > 0)
                   FOR UPDATE SKIP LOCKED) unused
         WHERE old.ctid = unused.row;
        IF gone.session_id IS NOT NULL AND gone.number = 0 THEN
            next_passage := recall_next(gone.scope_id, gone.session_id, in_object_id);
        END IF;
    END LOOP;
    RETURN next_passage;
END $$;

CREATE FUNCTION recall_next(in_scope bigint, in_session text, in_object_id text) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN (SELECT p.id FROM passages p
             WHERE p.scope_id = in_scope AND p.session_id = in_session AND p.object_id > in_object_id AND p.number = 0
             ORDER BY p.object_id LIMIT 1);

-- Writes anew what follows a change in its session; what another transaction is writing at this moment is left to it.
CREATE FUNCTION recall_refresh(in_org text, in_passage bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM passages p WHERE p.org_id = in_org AND p.id = in_passage FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        PERFORM recall_write_postings(in_org, in_passage);
    END IF;
END $$;

-- Puts an object into the index in place of what it said before. `in_literals` are word vectors of what no language's
-- parser keeps whole: identifiers, and the character pairs of scripts that write no spaces. `in_vectors` is NULL when
-- the embedding follows later. Gives the name of the model that serves.
CREATE FUNCTION recall_put(
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
    new_id bigint;
    new_words tsvector;
BEGIN
    follows := recall_take_out(org, in_kind, in_object_id);

    FOR n IN 1 .. cardinality(in_bodies) LOOP
        new_words := in_literals[n]::tsvector
            || setweight(to_tsvector(config, in_head), 'A')
            || setweight(to_tsvector(config, in_summary), 'B')
            || setweight(to_tsvector(config, in_about), 'C')
            || to_tsvector(config, in_bodies[n]);
        INSERT INTO passages (org_id, scope_id, kind, object_id, number, starts, ends, workspace_id, session_id, actor,
                              labels, words, length, at, updated_at, until, importance, pinned)
        VALUES (org, of_scope, in_kind, in_object_id, n - 1, in_starts[n], in_ends[n], in_workspace_id, in_session_id,
                in_actor, in_labels, new_words,
                (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(ts_filter(new_words, '{b,d}')) w),
                in_at, in_updated_at, in_until, in_importance, in_pinned)
        RETURNING id INTO new_id;
        PERFORM recall_write_postings(org, new_id);
        INSERT INTO recall_vocabulary (org_id, scope_id, lexeme)
        SELECT org, of_scope, word
          FROM unnest(tsvector_to_array(new_words)) word
         WHERE NOT EXISTS (SELECT FROM recall_vocabulary v WHERE v.scope_id = of_scope AND v.lexeme = word);
        IF in_vectors[n] IS NOT NULL AND model IS NOT NULL THEN
            INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)
            SELECT org, model, new_id, of_scope, vector_dims(given), given
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

CREATE FUNCTION recall_drop(in_kind text, in_object_ids text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org text := current_org();
    dropped text;
    follows bigint;
BEGIN
    FOREACH dropped IN ARRAY in_object_ids LOOP
        follows := recall_take_out(org, in_kind, dropped);
        IF follows IS NOT NULL THEN
            PERFORM recall_refresh(org, follows);
        END IF;
    END LOOP;
END $$;

-- Takes a whole scope out of the index.
CREATE FUNCTION recall_drop_scope(in_scope text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org text := current_org();
    of_scope CONSTANT bigint := recall_scope_id(current_org(), in_scope);
BEGIN
    DELETE FROM postings WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM passages WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM recall_vocabulary WHERE org_id = org AND scope_id = of_scope;
    DELETE FROM recall_actors WHERE org_id = org AND scope_id = of_scope;
END $$;

-- --- asking ---------------------------------------------------------------------------------------------------------

-- What must be known before a query is embedded: which of its words are names of those who speak in these scopes, and
-- the model whose vectors serve.
CREATE FUNCTION recall_begin(in_scopes text[], in_words text[])
    RETURNS TABLE (names text[], model text, weights jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT
        ARRAY(SELECT DISTINCT a.word
                FROM recall_actors a
               WHERE a.scope_id = ANY (recall_scope_ids(current_org(), in_scopes)) AND a.word = ANY (in_words)
                 AND a.org_id = current_org()),
        (SELECT m.name FROM embedding_models m WHERE m.active),
        (SELECT o.recall_weights FROM orgs o WHERE o.org_id = current_org());
END $$;

-- What one word adds to a passage's score, before its rarity: BM25 (k1 1.2, b 0.9) over the passage's own words and over
-- those with its tail, half and half.
CREATE FUNCTION recall_bm25(tf real, tail real, length integer, tail_length integer, mean double precision)
    RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1.1 * tf / (tf + 0.12 + 1.08 * length / mean)
         + 1.1 * (tf + tail) / (tf + tail + 0.12 + 1.08 * (length + tail_length) / (mean + 0.5 * tail_length));

-- Of these passages, in this order, the first that may be shown.
CREATE FUNCTION recall_shown(
    in_org text, in_ids bigint[], in_kinds text[], in_workspace_id text, in_labels text[], in_now timestamptz,
    in_limit integer
) RETURNS bigint[]
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN ARRAY(
        SELECT p.id
          FROM unnest(in_ids) WITH ORDINALITY AS given (id, place)
          JOIN passages p ON p.org_id = in_org AND p.id = given.id
         WHERE (p.until IS NULL OR p.until > in_now)
           AND p.kind = ANY (in_kinds)
           AND (in_workspace_id IS NULL OR p.workspace_id IS NULL OR p.workspace_id = in_workspace_id)
           AND p.labels @> in_labels
         ORDER BY given.place
         LIMIT in_limit);

-- Of these passages the best that may be shown; only the best `in_pool` are looked at, where that is given.
CREATE FUNCTION recall_best(
    in_org text, in_ids bigint[], in_scores double precision[], in_pool integer, in_kinds text[], in_workspace_id text,
    in_labels text[], in_now timestamptz, in_limit integer
) RETURNS bigint[]
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN recall_shown(
        in_org,
        ARRAY(SELECT hit.id FROM unnest(in_ids, in_scores) hit (id, score) ORDER BY hit.score DESC, hit.id DESC LIMIT in_pool),
        in_kinds, in_workspace_id, in_labels, in_now, in_limit);

-- The passages of these scopes that a query may mean, with what speaks for each: its BM25 score over its own words and
-- those together with its tail, half and half; and its cosine. Each arm brings its best, and both are looked up for all.
--
-- Scopes of up to `exact` passages are compared whole. In a larger one a word is weighed by a sample and read by its best
-- `per_word` passages, and vectors come from the HNSW index, or from all when that gives fewer than there are.
CREATE FUNCTION recall_candidates(
    in_scopes text[], in_kinds text[], in_workspace_id text, in_labels text[], in_text text, in_literals text,
    in_vector text, in_model text, in_lexical_limit integer, in_semantic_limit integer, in_now timestamptz
) RETURNS TABLE (
    passage_id bigint, kind text, object_id text, number integer, starts integer, ends integer, session_id text,
    actor text, at timestamptz, updated_at timestamptz, importance smallint, pinned boolean,
    lexical double precision, rank real, similarity double precision, terms text[], embedded boolean
)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    -- The right plan is always to follow an index from few rows to few; fresh tables have no statistics to tell so.
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
    AS $$
DECLARE
    org CONSTANT text := current_org();
    config CONSTANT regconfig := (SELECT o.language::regconfig FROM orgs o WHERE o.org_id = current_org());
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    exact CONSTANT integer := 10000;
    per_word CONSTANT integer := 1000;
    scope_ids CONSTANT bigint[] := recall_scope_ids(current_org(), in_scopes);
    n double precision;
    mean double precision;
    large boolean;
    asked text[];
    lexemes text[];
    idfs double precision[];
    vector halfvec := in_vector::halfvec;
    hit_ids bigint[];
    hit_scores double precision[];
    best bigint[];
    near bigint[];
    seen integer;
    queries tsquery[];
    any_word tsquery;
BEGIN
    -- How much there is.
    SELECT count(*), avg(counted.length) INTO n, mean
      FROM (SELECT p.length FROM passages p WHERE p.scope_id = ANY (scope_ids) LIMIT exact + 1) counted;
    IF n = 0 THEN
        RETURN;
    END IF;
    large := n > exact;
    IF large THEN
        SELECT greatest(n, 64 * count(*)), coalesce(avg(p.length), mean) INTO n, mean
          FROM passages p WHERE p.scope_id = ANY (scope_ids) AND p.id % 64 = 0;
    END IF;
    mean := greatest(mean, 1);

    -- What is asked, and how rare each word is here. A word in more than a tenth of the scope decides nothing beside
    -- rarer ones.
    asked := tsvector_to_array(to_tsvector(config, in_text) || in_literals::tsvector);
    WITH counted AS (
        SELECT word AS lexeme,
               CASE WHEN large
                    THEN (SELECT count(*) FROM (SELECT FROM postings p WHERE p.scope_id = ANY (scope_ids)
                                                   AND p.lexeme = word LIMIT per_word) few)
                    ELSE (SELECT count(*) FROM postings p WHERE p.scope_id = ANY (scope_ids) AND p.lexeme = word)
               END AS df
          FROM unnest(asked) word
    ), weighed AS (
        SELECT c.lexeme, 1.0::double precision AS weight,
               CASE WHEN large AND c.df = per_word
                    THEN greatest(c.df, 64 * (SELECT count(*) FROM postings p WHERE p.scope_id = ANY (scope_ids)
                                                 AND p.lexeme = c.lexeme AND p.passage_id % 64 = 0))
                    ELSE c.df END AS df
          FROM counted c
    ), spelled AS (
        -- Words that are not here as they were asked: those that contain them, or are spelled much like them.
        SELECT like_it.lexeme, like_it.weight * 0.7 AS weight,
               (SELECT count(*) FROM (SELECT FROM postings p WHERE p.scope_id = ANY (scope_ids)
                                         AND p.lexeme = like_it.lexeme LIMIT per_word) few) AS df
          FROM weighed w
         CROSS JOIN LATERAL (
               SELECT v.lexeme,
                      max(CASE WHEN v.lexeme LIKE '%' || w.lexeme || '%' THEN 1.0
                               ELSE similarity(v.lexeme, w.lexeme) END) AS weight
                 FROM recall_vocabulary v
                WHERE v.scope_id = ANY (scope_ids)
                  AND (v.lexeme % w.lexeme
                       OR v.lexeme LIKE '%' || replace(replace(replace(w.lexeme, '\', '\\'), '%', '\%'), '_', '\_') || '%')
                GROUP BY v.lexeme
                ORDER BY 2 DESC, 1
                LIMIT 4
               ) like_it
         WHERE w.df = 0 AND length(w.lexeme) >= 3 AND like_it.weight >= 0.4
    ), known AS (
        SELECT w.lexeme, max(w.weight) AS weight, max(w.df) AS df
          FROM (SELECT * FROM weighed UNION ALL SELECT * FROM spelled) w
         WHERE w.df > 0
         GROUP BY w.lexeme
    )
    -- Rarity is measured as if there were a thousand passages at least, so that a score means the same in a small scope.
    SELECT array_agg(k.lexeme), array_agg(k.weight * ln(1 + (greatest(n, 1000) - least(k.df, n) + 0.5) / (k.df + 0.5)))
      INTO lexemes, idfs
      FROM known k
     WHERE k.df <= greatest(0.1 * n, 10) OR NOT EXISTS (SELECT FROM known rare WHERE rare.df <= greatest(0.1 * n, 10));

    -- The lexical arm: every passage with one of the words, or the best of each.
    IF large THEN
        SELECT array_agg(scored.id), array_agg(scored.score) INTO hit_ids, hit_scores
          FROM (SELECT hit.passage_id AS id,
                       sum(word.idf * recall_bm25(hit.tf, hit.tail, hit.length, hit.tail_length, mean)) AS score
                  FROM unnest(lexemes, idfs) word (lexeme, idf)
                 CROSS JOIN LATERAL (SELECT p.passage_id, p.tf, p.tail, p.length, p.tail_length
                                       FROM unnest(scope_ids) one (scope_id)
                                      CROSS JOIN LATERAL (SELECT * FROM postings p
                                                           WHERE p.scope_id = one.scope_id AND p.lexeme = word.lexeme
                                                           ORDER BY p.impact DESC
                                                           LIMIT per_word) p
                                      ORDER BY p.impact DESC
                                      LIMIT per_word) hit
                 GROUP BY hit.passage_id) scored;
    ELSE
        SELECT array_agg(scored.id), array_agg(scored.score) INTO hit_ids, hit_scores
          FROM (SELECT hit.passage_id AS id,
                       sum(word.idf * recall_bm25(hit.tf, hit.tail, hit.length, hit.tail_length, mean)) AS score
                  FROM unnest(lexemes, idfs) word (lexeme, idf)
                  JOIN postings hit ON hit.scope_id = ANY (scope_ids) AND hit.lexeme = word.lexeme
                 GROUP BY hit.passage_id) scored;
    END IF;
    IF large AND cardinality(hit_ids) > 4 * in_lexical_limit THEN
        best := recall_best(org, hit_ids, hit_scores, 4 * in_lexical_limit, in_kinds, in_workspace_id, in_labels, in_now,
                            in_lexical_limit);
    END IF;
    IF coalesce(cardinality(best), 0) < in_lexical_limit THEN
        best := recall_best(org, hit_ids, hit_scores, NULL, in_kinds, in_workspace_id, in_labels, in_now, in_lexical_limit);
    END IF;

    -- The semantic arm.
    IF vector IS NOT NULL AND large THEN
        -- These settings are known once a vector was read in this session, so the function cannot carry them itself.
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '120', true),
                set_config('hnsw.max_scan_tuples', '30000', true);
        -- Written with the model and its dimensions in it, so that the planner finds their index.
        EXECUTE format(
            'SELECT array_agg(close.passage_id) FROM ('
            '   SELECT v.passage_id FROM passage_vectors v JOIN passages p ON p.org_id = $1 AND p.id = v.passage_id'
            '    WHERE v.scope_id = ANY ($2) AND v.model_id = %1$s AND v.dimensions = %2$s'
            '      AND (p.until IS NULL OR p.until > $3) AND p.kind = ANY ($4)'
            '      AND ($5 IS NULL OR p.workspace_id IS NULL OR p.workspace_id = $5) AND p.labels @> $6'
            '    ORDER BY v.embedding::halfvec(%2$s) <#> $7::halfvec(%2$s) LIMIT $8) close',
            model, vector_dims(vector))
           INTO near USING org, scope_ids, in_now, in_kinds, in_workspace_id, in_labels, vector, in_semantic_limit;
    ELSIF vector IS NOT NULL THEN
        -- Most of the closest may be shown: look at those first.
        SELECT array_agg(close.id), count(*) INTO near, seen
          FROM (SELECT v.passage_id AS id FROM passage_vectors v
                 WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model
                 ORDER BY v.embedding <#> vector
                 LIMIT in_semantic_limit * 3 / 2) close;
        near := recall_shown(org, near, in_kinds, in_workspace_id, in_labels, in_now, in_semantic_limit);
    END IF;
    IF vector IS NOT NULL AND coalesce(cardinality(near), 0) < in_semantic_limit
       AND (large OR seen = in_semantic_limit * 3 / 2) THEN
        SELECT array_agg(close.passage_id) INTO near
          FROM (SELECT v.passage_id
                  FROM passage_vectors v
                  JOIN passages p ON p.org_id = org AND p.id = v.passage_id
                 WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model
                   AND (p.until IS NULL OR p.until > in_now)
                   AND p.kind = ANY (in_kinds)
                   AND (in_workspace_id IS NULL OR p.workspace_id IS NULL OR p.workspace_id = in_workspace_id)
                   AND p.labels @> in_labels
                 ORDER BY v.embedding <#> vector
                 LIMIT in_semantic_limit) close;
    END IF;
    IF large AND lexemes IS NOT NULL AND near IS NOT NULL THEN
        -- What is close may have been beyond the best of each word: its words count all the same.
        SELECT hit_ids || array_agg(more.id), hit_scores || array_agg(more.score) INTO hit_ids, hit_scores
          FROM (SELECT p.passage_id AS id,
                       sum(idfs[array_position(lexemes, p.lexeme)]
                           * recall_bm25(p.tf, p.tail, p.length, p.tail_length, mean)) AS score
                  FROM unnest(near) close (id)
                  JOIN postings p ON p.passage_id = close.id
                 WHERE close.id <> ALL (coalesce(hit_ids, '{}')) AND p.lexeme = ANY (lexemes)
                 GROUP BY p.passage_id) more;
    END IF;

    queries := ARRAY(SELECT ('''' || replace(replace(l, '\', '\\'), '''', '''''') || '''')::tsquery FROM unnest(lexemes) l);
    IF in_vector IS NULL THEN
        any_word := (SELECT string_agg(each::text, ' | ') FROM unnest(queries) each)::tsquery;
    END IF;
    RETURN QUERY
    WITH chosen AS (
        SELECT every.id, max(every.score) AS score
          FROM (SELECT hit.id, hit.score FROM unnest(hit_ids, hit_scores) hit (id, score)
                UNION ALL SELECT unnest(near), 0) every
         WHERE every.id = ANY (best || near)
         GROUP BY every.id
    )
    SELECT p.id, p.kind, p.object_id, p.number, p.starts, p.ends, p.session_id, p.actor, p.at, p.updated_at,
           p.importance, p.pinned, c.score, coalesce(ts_rank_cd(p.words, any_word), 0), -(v.embedding <#> vector),
           ARRAY(SELECT word.lexeme FROM unnest(lexemes, queries) word (lexeme, query) WHERE p.words @@ word.query),
           v.passage_id IS NOT NULL
      FROM chosen c
      JOIN passages p ON p.org_id = org AND p.id = c.id
      LEFT JOIN passage_vectors v ON v.org_id = org AND v.model_id = model AND v.passage_id = c.id;
END $$;

-- What can be said of objects that a question did not bring up: whether they are in these scopes at all, whether any word
-- of the query is in them, and how close they are.
CREATE FUNCTION recall_probe(
    in_kind text, in_object_ids text[], in_scopes text[], in_text text, in_literals text, in_vector text, in_model text
) RETURNS TABLE (object_id text, matches boolean, embedded boolean, similarity double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    config CONSTANT regconfig := (SELECT o.language::regconfig FROM orgs o WHERE o.org_id = current_org());
    asked CONSTANT text[] := tsvector_to_array(to_tsvector(config, in_text) || in_literals::tsvector);
BEGIN
    RETURN QUERY
    SELECT p.object_id, bool_or(tsvector_to_array(p.words) && asked), bool_or(v.passage_id IS NOT NULL),
           max(-(v.embedding <#> in_vector::halfvec))
      FROM passages p
      LEFT JOIN embedding_models m ON m.name = in_model
      LEFT JOIN passage_vectors v ON v.org_id = p.org_id AND v.model_id = m.id AND v.passage_id = p.id
     WHERE p.org_id = current_org() AND p.kind = in_kind AND p.object_id = ANY (in_object_ids)
       AND p.scope_id = ANY (recall_scope_ids(current_org(), in_scopes))
     GROUP BY p.object_id;
END $$;

-- --- models, and vectors that follow later --------------------------------------------------------------------------

-- Makes a model known; the first one serves from then on. Gives the name of the one that serves.
CREATE FUNCTION recall_register(in_model text) RETURNS text
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
CREATE FUNCTION recall_missing(in_model text, in_after bigint, in_limit integer)
    RETURNS TABLE (kind text, object_id text, last_passage bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT p.kind, p.object_id, max(p.id)
      FROM (SELECT i.kind, i.object_id, i.id
              FROM passages i
             WHERE i.org_id = current_org() AND i.id > in_after
               AND NOT EXISTS (SELECT FROM passage_vectors v
                                WHERE v.org_id = i.org_id AND v.passage_id = i.id
                                  AND v.model_id = (SELECT m.id FROM embedding_models m WHERE m.name = in_model))
             ORDER BY i.id
             LIMIT in_limit) p
     GROUP BY p.kind, p.object_id
     ORDER BY 3;
END $$;

CREATE FUNCTION recall_progress(in_model text) RETURNS TABLE (passages bigint, embedded bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT
        (SELECT count(*) FROM passages p WHERE p.org_id = current_org()),
        (SELECT count(*) FROM passage_vectors v JOIN embedding_models m ON m.id = v.model_id
          WHERE v.org_id = current_org() AND m.name = in_model);
END $$;

-- Gives an object's passages the vectors of a model, unless the object changed since it was read.
CREATE FUNCTION recall_fill(
    in_kind text, in_object_id text, in_updated_at timestamptz, in_vectors text[], in_model text
) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    filled integer;
BEGIN
    INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)
    SELECT p.org_id, m.id, p.id, p.scope_id, vector_dims(given.vector), given.vector
      FROM (SELECT number - 1 AS number, vector::halfvec
              FROM unnest(in_vectors) WITH ORDINALITY AS each (vector, number)) given
      JOIN passages p ON p.org_id = current_org() AND p.kind = in_kind AND p.object_id = in_object_id
                     AND p.number = given.number AND p.updated_at = in_updated_at
      JOIN embedding_models m ON m.name = in_model
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS filled = ROW_COUNT;
    RETURN filled;
END $$;

-- Whether an object has passages.
CREATE FUNCTION recall_has(in_kind text, in_object_id text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM passages p
                    WHERE p.org_id = current_org() AND p.kind = in_kind AND p.object_id = in_object_id);
END $$;

-- Only these are open to the service, and only for the org of its transaction.
REVOKE ALL ON FUNCTION recall_counts, recall_tail, recall_write_postings, recall_refresh, recall_take_out, recall_next, recall_put,
    recall_drop, recall_drop_scope, recall_begin, recall_bm25, recall_shown, recall_best, recall_candidates, recall_probe, recall_register, recall_missing,
    recall_progress, recall_fill, recall_has FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recall_put, recall_drop, recall_drop_scope, recall_begin, recall_candidates, recall_probe, recall_register,
    recall_missing, recall_progress, recall_fill, recall_has TO holdfast_app;
