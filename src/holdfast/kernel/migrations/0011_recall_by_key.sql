-- The same answers as before, found along the index whatever the statistics say.
--
-- A candidate's row is looked up by its whole key, one at a time: `LATERAL (… OFFSET 0)`. Written as a join, and planned
-- when the table was young, Postgres read the org's every row for each candidate (8 ms of 10 over 400 passages; it grew
-- with the square). Scopes too large to be compared whole ask the HNSW index for all they need in one round.

-- Of these passages, in this order, the first that may be shown.
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
        -- These settings are known once a vector was read in this session, so the function cannot carry them itself. A few
        -- more candidates than an arm brings: a second round of the scan would cost as much as the first.
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
                set_config('hnsw.ef_search', greatest(40, least(1000, in_semantic_limit + 10))::text, true),
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
          FROM (SELECT close.id,
                       sum(idfs[array_position(lexemes, p.lexeme)]
                           * recall_bm25(p.tf, p.tail, p.length, p.tail_length, mean)) AS score
                  FROM (SELECT unnest(near) EXCEPT SELECT unnest(hit_ids)) close (id)
                 CROSS JOIN LATERAL (SELECT * FROM postings p WHERE p.passage_id = close.id OFFSET 0) p
                 WHERE p.lexeme = ANY (lexemes)
                 GROUP BY close.id) more;
    END IF;

    queries := ARRAY(SELECT ('''' || replace(replace(l, '\', '\\'), '''', '''''') || '''')::tsquery FROM unnest(lexemes) l);
    IF in_vector IS NULL THEN
        any_word := (SELECT string_agg(each::text, ' | ') FROM unnest(queries) each)::tsquery;
    END IF;
    RETURN QUERY
    WITH chosen AS (
        SELECT every.id, max(every.score) AS score
          FROM (SELECT hit.id, hit.score, false AS wanted FROM unnest(hit_ids, hit_scores) hit (id, score)
                UNION ALL SELECT unnest(best || near), 0, true) every
         GROUP BY every.id
        HAVING bool_or(every.wanted)
    )
    SELECT p.id, p.kind, p.object_id, p.number, p.starts, p.ends, p.session_id, p.actor, p.at, p.updated_at,
           p.importance, p.pinned, c.score, coalesce(ts_rank_cd(p.words, any_word), 0), -(v.embedding <#> vector),
           ARRAY(SELECT word.lexeme FROM unnest(lexemes, queries) word (lexeme, query) WHERE p.words @@ word.query),
           v.passage_id IS NOT NULL
      FROM chosen c
     CROSS JOIN LATERAL (SELECT * FROM passages p WHERE p.org_id = org AND p.id = c.id OFFSET 0) p
      LEFT JOIN LATERAL (SELECT v.passage_id, v.embedding FROM passage_vectors v
                          WHERE v.org_id = org AND v.model_id = model AND v.passage_id = c.id OFFSET 0) v ON true;
END $$;
