-- Searching the passage index; functions.sql beside this file says who may.

-- What must be known before a query is embedded: which of its words are names of those who speak in these scopes, and
-- the model whose vectors serve.
CREATE OR REPLACE FUNCTION recall_begin(in_scopes text[], in_words text[])
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
CREATE OR REPLACE FUNCTION recall_bm25(tf real, tail real, length integer, tail_length integer, mean double precision)
    RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1.1 * tf / (tf + 0.12 + 1.08 * length / mean)
         + 1.1 * (tf + tail) / (tf + tail + 0.12 + 1.08 * (length + tail_length) / (mean + 0.5 * tail_length));

-- Of these passages, in this order, the first that may be shown. Each row is looked up by its whole key, one at a time:
-- `LATERAL (… OFFSET 0)`. Written as a join, and planned while the table was young, Postgres read every row of the org for
-- each candidate (8 ms of 10 over 400 passages, and growing with the square).
CREATE OR REPLACE FUNCTION recall_shown(
    in_org text, in_ids bigint[], in_kinds text[], in_workspace_id text, in_labels text[], in_now timestamptz,
    in_limit integer
) RETURNS bigint[]
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN ARRAY(
        SELECT p.id
          FROM unnest(in_ids) WITH ORDINALITY AS given (id, place)
         CROSS JOIN LATERAL (SELECT * FROM passages p WHERE p.org_id = in_org AND p.id = given.id OFFSET 0) p
         WHERE (p.until IS NULL OR p.until > in_now)
           AND p.kind = ANY (in_kinds)
           AND (in_workspace_id IS NULL OR p.workspace_id IS NULL OR p.workspace_id = in_workspace_id)
           AND p.labels @> in_labels
         ORDER BY given.place
         LIMIT in_limit);

-- Of these passages the best that may be shown; only the best `in_pool` are looked at, where that is given.
CREATE OR REPLACE FUNCTION recall_best(
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
--
-- Costs kept low on purpose: the distance of a passage is computed once; a scope that a sample shows to be large is not
-- counted; of the hits the likely ones are checked first; of the close passages only those with a word of the query are
-- looked up among the postings (in a large scope, so a passage whose neighbour alone has the word may lack that part there).
CREATE OR REPLACE FUNCTION recall_candidates(
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
    here bigint;
    mean_here double precision;
    asked text[];
    lexemes text[];
    idfs double precision[];
    vector halfvec := in_vector::halfvec;
    hit_ids bigint[];
    hit_scores double precision[];
    best bigint[];
    pool integer;
    close_ids bigint[];
    similarities double precision[];
    near bigint[];
    worded bigint[];
    queries tsquery[];
    any_word tsquery;
BEGIN
    -- How much there is. Where a sample says that it is far more than is compared whole, it is not counted.
    SELECT 64 * count(*), avg(p.length) INTO n, mean
      FROM passages p WHERE p.scope_id = ANY (scope_ids) AND p.id % 64 = 0;
    large := n > 4 * exact;
    IF NOT large THEN
        SELECT count(*), avg(few.length) INTO here, mean_here
          FROM (SELECT p.length FROM passages p WHERE p.scope_id = ANY (scope_ids) LIMIT exact + 1) few;
        large := here > exact;
        n := CASE WHEN large THEN greatest(n, here) ELSE here END;
        mean := CASE WHEN large THEN coalesce(mean, mean_here) ELSE mean_here END;
    END IF;
    IF n = 0 THEN
        RETURN;
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
    -- Most of the best may be shown: look at those first, at all where that gives too few.
    FOREACH pool IN ARRAY ARRAY[in_lexical_limit * 3 / 2, in_lexical_limit * 8, NULL] LOOP
        best := recall_best(org, hit_ids, hit_scores, pool, in_kinds, in_workspace_id, in_labels, in_now, in_lexical_limit);
        EXIT WHEN cardinality(best) >= in_lexical_limit OR pool >= coalesce(cardinality(hit_ids), 0);
    END LOOP;
    queries := ARRAY(SELECT ('''' || replace(replace(l, '\', '\\'), '''', '''''') || '''')::tsquery FROM unnest(lexemes) l);
    any_word := (SELECT string_agg(each::text, ' | ') FROM unnest(queries) each)::tsquery;

    -- The semantic arm.
    IF vector IS NOT NULL AND large THEN
        -- These settings are known once a vector was read in this session, so the function cannot carry them itself. A few
        -- more candidates than an arm brings: a second round of the scan would cost as much as the first.
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
                set_config('hnsw.ef_search', greatest(40, least(1000, in_semantic_limit + 10))::text, true),
                set_config('hnsw.max_scan_tuples', '30000', true);
        -- Written with the model and its dimensions in it, so that the planner finds their index.
        EXECUTE format(
            'SELECT array_agg(close.id), array_agg(close.similarity), array_agg(close.id) FILTER (WHERE close.worded) FROM ('
            '   SELECT v.passage_id AS id, -(v.embedding::halfvec(%2$s) <#> $7::halfvec(%2$s)) AS similarity,'
            '          p.words @@ $9 AS worded'
            '     FROM passage_vectors v JOIN passages p ON p.org_id = $1 AND p.id = v.passage_id'
            '    WHERE v.scope_id = ANY ($2) AND v.model_id = %1$s AND v.dimensions = %2$s'
            '      AND (p.until IS NULL OR p.until > $3) AND p.kind = ANY ($4)'
            '      AND ($5 IS NULL OR p.workspace_id IS NULL OR p.workspace_id = $5) AND p.labels @> $6'
            '    ORDER BY v.embedding::halfvec(%2$s) <#> $7::halfvec(%2$s) LIMIT $8) close',
            model, vector_dims(vector))
           INTO close_ids, similarities, worded
          USING org, scope_ids, in_now, in_kinds, in_workspace_id, in_labels, vector, in_semantic_limit, any_word;
        near := close_ids;
    ELSIF vector IS NOT NULL THEN
        -- Here too those first that most likely may be shown.
        SELECT array_agg(close.id), array_agg(close.similarity) INTO close_ids, similarities
          FROM (SELECT v.passage_id AS id, -(v.embedding <#> vector) AS similarity
                  FROM passage_vectors v
                 WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model
                 ORDER BY v.embedding <#> vector
                 LIMIT in_semantic_limit * 3 / 2) close;
        near := recall_shown(org, close_ids, in_kinds, in_workspace_id, in_labels, in_now, in_semantic_limit);
    END IF;
    IF vector IS NOT NULL AND coalesce(cardinality(near), 0) < in_semantic_limit
       AND (large OR cardinality(close_ids) = in_semantic_limit * 3 / 2) THEN
        SELECT array_agg(close.id), array_agg(close.similarity), array_agg(close.id) FILTER (WHERE close.worded)
          INTO close_ids, similarities, worded
          FROM (SELECT v.passage_id AS id, -(v.embedding <#> vector) AS similarity, p.words @@ any_word AS worded
                  FROM passage_vectors v
                  JOIN passages p ON p.org_id = org AND p.id = v.passage_id
                 WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model
                   AND (p.until IS NULL OR p.until > in_now)
                   AND p.kind = ANY (in_kinds)
                   AND (in_workspace_id IS NULL OR p.workspace_id IS NULL OR p.workspace_id = in_workspace_id)
                   AND p.labels @> in_labels
                 ORDER BY v.embedding <#> vector
                 LIMIT in_semantic_limit) close;
        near := close_ids;
    END IF;
    IF large AND worded IS NOT NULL THEN
        -- What is close may have been beyond the best of each word: its words count all the same.
        SELECT hit_ids || array_agg(more.id), hit_scores || array_agg(more.score) INTO hit_ids, hit_scores
          FROM (SELECT close.id,
                       sum(idfs[array_position(lexemes, p.lexeme)]
                           * recall_bm25(p.tf, p.tail, p.length, p.tail_length, mean)) AS score
                  FROM (SELECT unnest(worded) EXCEPT SELECT unnest(hit_ids)) close (id)
                 CROSS JOIN LATERAL (SELECT * FROM postings p WHERE p.passage_id = close.id OFFSET 0) p
                 WHERE p.lexeme = ANY (lexemes)
                 GROUP BY close.id) more;
    END IF;

    RETURN QUERY
    WITH chosen AS (
        SELECT every.id, max(every.score) AS score, max(every.similarity) AS similarity
          FROM (SELECT hit.id, hit.score, NULL::double precision AS similarity, false AS wanted
                  FROM unnest(hit_ids, hit_scores) hit (id, score)
                UNION ALL SELECT close.id, 0, close.similarity, false FROM unnest(close_ids, similarities) close (id, similarity)
                UNION ALL SELECT unnest(best || near), 0, NULL, true) every
         GROUP BY every.id
        HAVING bool_or(every.wanted)
    )
    SELECT p.id, p.kind, p.object_id, p.number, p.starts, p.ends, p.session_id, p.actor, p.at, p.updated_at,
           p.importance, p.pinned, c.score,
           -- By this, words alone are ranked; beside a vector nobody asks for it.
           CASE WHEN in_vector IS NULL THEN coalesce(ts_rank_cd(p.words, any_word), 0) ELSE 0 END,
           coalesce(c.similarity, v.similarity),
           ARRAY(SELECT word.lexeme FROM unnest(lexemes, queries) word (lexeme, query) WHERE p.words @@ word.query),
           c.similarity IS NOT NULL OR v.passage_id IS NOT NULL
      FROM chosen c
     CROSS JOIN LATERAL (SELECT * FROM passages p WHERE p.org_id = org AND p.id = c.id OFFSET 0) p
      LEFT JOIN LATERAL (SELECT v.passage_id, -(v.embedding <#> vector) AS similarity FROM passage_vectors v
                          WHERE c.similarity IS NULL
                            AND v.org_id = org AND v.model_id = model AND v.passage_id = c.id OFFSET 0) v ON true;
END $$;

-- What can be said of objects that a question did not bring up: whether they are in these scopes at all, whether any word
-- of the query is in them, and how close they are.
CREATE OR REPLACE FUNCTION recall_probe(
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

REVOKE ALL ON FUNCTION recall_begin, recall_bm25, recall_shown, recall_best, recall_candidates, recall_probe FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recall_begin, recall_candidates, recall_probe TO holdfast_app;
