-- The steps of recall_candidates (search_functions.sql), in the order in which it takes them:
--
-- 1. recall_scope_size     how many passages these scopes hold, and whether that is too many to compare whole
-- 2. recall_query_words    the words of the query as the index has them, and how rare each is there (idf)
-- 3. recall_word_hits      the lexical arm: BM25 of every passage with one of the words (of each word's best, where large)
-- 4. recall_best           of those, the best that the call may be shown
-- 5. recall_near           the semantic arm: the closest that the call may be shown, by comparing all or by HNSW
-- 6. recall_close_words    where large: BM25 of what only the semantic arm brought
-- 7. recall_candidates     both scores of both arms' passages, with what the fusion needs to know of each
--
-- recall_candidates sets the planner's options for all of them: the right plan is always to follow an index from few rows to
-- few, and fresh tables have no statistics to tell so.

-- What one word adds to a passage's score, before its rarity: BM25 (k1 1.2, b 0.9) over the passage's own words and over
-- those with its tail, half and half. A constant times an integer would be computed as numeric, which is ten times as slow.
CREATE OR REPLACE FUNCTION recall_bm25(tf real, tail real, length integer, tail_length integer, mean double precision)
    RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1.1 * tf / (tf + 0.12 + 1.08::double precision * length / mean)
         + 1.1 * (tf + tail) / (tf + tail + 0.12 + 1.08::double precision * (length + tail_length)
                                                   / (mean + 0.5::double precision * tail_length));

-- Whether a passage may be shown: not past its end, of these kinds, of this workspace, with all these labels.
CREATE OR REPLACE FUNCTION recall_may_show(
    until timestamptz, kind text, workspace_id text, labels text[], in_kinds text[], in_workspace_id text, in_labels text[],
    in_now timestamptz
) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (until IS NULL OR until > in_now)
       AND kind = ANY (in_kinds)
       AND (in_workspace_id IS NULL OR workspace_id IS NULL OR workspace_id = in_workspace_id)
       AND labels @> in_labels;

-- Of these passages, in this order, the first that may be shown. Each row is looked up by its whole key, one at a time:
-- `LATERAL (… OFFSET 0)`. Written as a join, and planned while the table was young, Postgres read every row of the org for
-- each candidate (8 ms of 10 over 400 passages, and growing with the square).
CREATE OR REPLACE FUNCTION recall_shown(
    in_org text, in_ids bigint[], in_kinds text[], in_workspace_id text, in_labels text[], in_now timestamptz,
    in_limit integer
) RETURNS bigint[]
    LANGUAGE sql STABLE
    RETURN ARRAY(
        SELECT given.id
          FROM unnest(in_ids) WITH ORDINALITY AS given (id, place)
         CROSS JOIN LATERAL (SELECT recall_may_show(p.until, p.kind, p.workspace_id, p.labels, in_kinds, in_workspace_id, in_labels,
                                                    in_now) AS may
                               FROM passages p WHERE p.org_id = in_org AND p.id = given.id OFFSET 0) shown
         WHERE shown.may
         ORDER BY given.place
         LIMIT in_limit);

-- A word as a tsquery, whatever is in it.
CREATE OR REPLACE FUNCTION recall_as_query(lexeme text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE
    RETURN ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;

-- Step 1. A scope is large from 10,000 passages on. One in 64 is in a sample (an index of its own): where the sample says that
-- there are far more, they are not counted.
CREATE OR REPLACE FUNCTION recall_scope_size(
    in_org text, scope_ids bigint[], OUT n double precision, OUT mean double precision, OUT large boolean
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    exact CONSTANT integer := 10000;
    here bigint;
    mean_here double precision;
BEGIN
    SELECT 64 * count(*), avg(p.length) INTO n, mean
      FROM passages p WHERE p.scope_id = ANY (scope_ids) AND p.id % 64 = 0 /*citus: AND p.org_id = in_org */;
    large := n > 4 * exact;
    IF NOT large THEN
        SELECT count(*), avg(few.length) INTO here, mean_here
          FROM (SELECT p.length FROM passages p WHERE p.scope_id = ANY (scope_ids) /*citus: AND p.org_id = in_org */
                 LIMIT exact + 1) few;
        large := here > exact;
        n := CASE WHEN large THEN greatest(n, here) ELSE here END;
        mean := CASE WHEN large THEN coalesce(mean, mean_here) ELSE mean_here END;
    END IF;
    mean := greatest(mean, 1);
END $$;

-- In how many passages of these scopes a word stands: counted, in a large scope only up to 1,000 and then estimated from the
-- sample.
CREATE OR REPLACE FUNCTION recall_frequency(in_org text, scope_ids bigint[], word text, large boolean) RETURNS bigint
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    df bigint;
BEGIN
    IF NOT large THEN
        RETURN (SELECT count(*) FROM postings p
                 WHERE p.scope_id = ANY (scope_ids) AND p.lexeme = word /*citus: AND p.org_id = in_org */);
    END IF;
    df := (SELECT count(*) FROM (SELECT FROM postings p
                                  WHERE p.scope_id = ANY (scope_ids) AND p.lexeme = word /*citus: AND p.org_id = in_org */
                                  LIMIT 1000) few);
    IF df = 1000 THEN
        df := greatest(df, 64 * (SELECT count(*) FROM postings p
                                  WHERE p.scope_id = ANY (scope_ids) AND p.lexeme = word AND p.passage_id % 64 = 0
                                    /*citus: AND p.org_id = in_org */));
    END IF;
    RETURN df;
END $$;

-- Words of these scopes that contain a word which is not there as it was asked, or are spelled much like it: at most four,
-- with the share of its weight that each deserves. By trigrams alone: the planner takes comparing two words for as cheap as
-- comparing two numbers, and would compare with every word of the scope (a millisecond for 1,500 of them).
CREATE OR REPLACE FUNCTION recall_spelled_like(in_org text, scope_ids bigint[], word text)
    RETURNS TABLE (lexeme text, weight double precision)
    LANGUAGE plpgsql STABLE SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
DECLARE
    part CONSTANT text := '%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%';
BEGIN
    RETURN QUERY
    SELECT one.lexeme, 0.7 * one.likeness
      FROM (SELECT v.lexeme, max(CASE WHEN v.lexeme LIKE part THEN 1.0 ELSE similarity(v.lexeme, word) END)::double precision
                             AS likeness
              FROM recall_vocabulary v
             WHERE ARRAY[v.scope_id] && scope_ids AND (v.lexeme % word OR v.lexeme LIKE part) /*citus: AND v.org_id = in_org */
             GROUP BY v.lexeme
             ORDER BY 2 DESC, 1
             LIMIT 4) one
     WHERE one.likeness >= 0.4;
END $$;

-- Step 2. `queries` has each word as a tsquery, to see which passages have it; `wholes` are the words that were asked, without
-- those that are only spelled like one. A word in more than a tenth of
-- the scope decides nothing beside rarer ones and is left out: it would cost most of the time.
CREATE OR REPLACE FUNCTION recall_query_words(
    in_org text, scope_ids bigint[], asked text[], n double precision, large boolean,
    OUT lexemes text[], OUT idfs double precision[], OUT queries tsquery[], OUT wholes text[]
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    often CONSTANT double precision := greatest(0.1 * n, 10);
BEGIN
    WITH weighed AS MATERIALIZED (
        SELECT word AS lexeme, 1.0::double precision AS weight, true AS whole,
               CASE WHEN large THEN recall_frequency(in_org, scope_ids, word, large)
                    ELSE (SELECT count(*) FROM postings p
                           WHERE p.scope_id = ANY (scope_ids) AND p.lexeme = word /*citus: AND p.org_id = in_org */) END AS df
          FROM unnest(asked) word
    ), spelled AS (
        SELECT l.lexeme, l.weight, false AS whole, recall_frequency(in_org, scope_ids, l.lexeme, large) AS df
          FROM weighed w CROSS JOIN LATERAL recall_spelled_like(in_org, scope_ids, w.lexeme) l
         WHERE w.df = 0 AND length(w.lexeme) >= 3
    ), known AS MATERIALIZED (
        SELECT w.lexeme, max(w.weight) AS weight, max(w.df) AS df, bool_or(w.whole) AS whole
          FROM (SELECT * FROM weighed UNION ALL SELECT * FROM spelled) w
         WHERE w.df > 0
         GROUP BY w.lexeme
    )
    -- Rarity is measured as if there were a thousand passages at least, so that a score means the same in a small scope.
    SELECT array_agg(k.lexeme), array_agg(k.weight * ln(1 + (greatest(n, 1000) - least(k.df, n) + 0.5) / (k.df + 0.5))),
           array_agg(recall_as_query(k.lexeme)), array_agg(k.lexeme) FILTER (WHERE k.whole)
      INTO lexemes, idfs, queries, wholes
      FROM known k
     WHERE k.df <= often OR NOT EXISTS (SELECT FROM known rare WHERE rare.df <= often);
END $$;

-- Step 3. The BM25 score of every passage with one of the words. In a large scope only the 1,000 passages in which a word
-- counts most (`impact`, in the order of the index) are read for each word; of what they give, the best `in_large_limit` (all, where
-- that is NULL), the best first.
CREATE OR REPLACE FUNCTION recall_word_hits(
    in_org text, scope_ids bigint[], lexemes text[], idfs double precision[], mean double precision, large boolean,
    in_large_limit integer, OUT ids bigint[], OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF large THEN
        SELECT array_agg(scored.id), array_agg(scored.score) INTO ids, scores
          FROM (SELECT hit.passage_id AS id,
                       sum(word.idf * recall_bm25(hit.tf, hit.tail, hit.length, hit.tail_length, mean)) AS score
                  FROM unnest(lexemes, idfs) word (lexeme, idf)
                 CROSS JOIN LATERAL (SELECT p.passage_id, p.tf, p.tail, p.length, p.tail_length
                                       FROM unnest(scope_ids) one (scope_id)
                                      CROSS JOIN LATERAL (SELECT * FROM postings p
                                                           WHERE p.scope_id = one.scope_id AND p.lexeme = word.lexeme
                                                             /*citus: AND p.org_id = in_org */
                                                           ORDER BY p.impact DESC
                                                           LIMIT 1000) p
                                      -- Of one scope they come in this order.
                                      ORDER BY CASE WHEN cardinality(scope_ids) > 1 THEN p.impact END DESC
                                      LIMIT 1000) hit
                 GROUP BY hit.passage_id
                 ORDER BY score DESC, id DESC LIMIT in_large_limit) scored;
    ELSE
        SELECT array_agg(scored.id), array_agg(scored.score) INTO ids, scores
          FROM (SELECT hit.passage_id AS id,
                       sum(word.idf * recall_bm25(hit.tf, hit.tail, hit.length, hit.tail_length, mean)) AS score
                  FROM unnest(lexemes, idfs) word (lexeme, idf)
                  JOIN postings hit ON hit.scope_id = ANY (scope_ids) AND hit.lexeme = word.lexeme /*citus: AND hit.org_id = in_org */
                 GROUP BY hit.passage_id) scored;
    END IF;
END $$;

-- The best of these passages, whether they may be shown or not.
CREATE OR REPLACE FUNCTION recall_first(in_ids bigint[], in_scores double precision[], in_limit integer) RETURNS bigint[]
    LANGUAGE sql STABLE
    RETURN ARRAY(SELECT hit.id FROM unnest(in_ids, in_scores) hit (id, score)
                  ORDER BY hit.score DESC, hit.id DESC LIMIT in_limit);

-- The best of both arms in the order of their ids, with the lexical score of each, whether they may be shown or not; of these the best
-- `in_keep`, where that is given: by a sum of both scores that is near to that of the fusion. The lexical score of what is close counts
-- wherever it is among the hits (`in_ids`, and `more_ids` of step 6). What only words brought counts as close as the last that meaning
-- brought, which is the closest it can be; the 16 best by words are always among them.
--
-- Each statement costs more to start than to carry out: those that a few hits do without are left out.
CREATE OR REPLACE FUNCTION recall_best_of_both(
    in_ids bigint[], in_scores double precision[], in_limit integer, more_ids bigint[], more_scores double precision[],
    close_ids bigint[], close_similarities double precision[], in_keep integer,
    OUT ids bigint[], OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    hits CONSTANT integer := coalesce(cardinality(in_ids), 0);
    least_similarity CONSTANT double precision := coalesce(close_similarities[cardinality(close_similarities)], 0);
    -- The last of the lexical arm, and the last of those that are read in any case, where not all hits are: there may be thousands, of
    -- which no more are sorted than that.
    last_score double precision; last_id bigint;
    sure_score double precision := 1e-9; sure_id bigint := 0;
BEGIN
    IF hits > in_limit AND in_limit > 0 THEN
        SELECT hit.score, hit.id INTO last_score, last_id FROM unnest(in_ids, in_scores) hit (id, score)
         ORDER BY hit.score DESC, hit.id DESC OFFSET in_limit - 1 LIMIT 1;
    END IF;
    IF hits > 16 THEN
        SELECT hit.score, hit.id INTO sure_score, sure_id FROM unnest(in_ids, in_scores) hit (id, score)
         ORDER BY hit.score DESC, hit.id DESC OFFSET 15 LIMIT 1;
    END IF;
    SELECT array_agg(best.id ORDER BY best.id), array_agg(best.score ORDER BY best.id) INTO ids, scores
      FROM (SELECT every.id, max(every.score) AS score
              FROM (SELECT hit.id, hit.score, NULL::double precision AS similarity
                      FROM unnest(in_ids, in_scores) hit (id, score)
                     WHERE hits <= in_limit OR (hit.score, hit.id) >= (last_score, last_id) OR hit.id IN (SELECT unnest(close_ids))
                    UNION ALL SELECT more.id, more.score, NULL FROM unnest(more_ids, more_scores) more (id, score)
                    UNION ALL SELECT close.id, 0, close.similarity
                                FROM unnest(close_ids, close_similarities) close (id, similarity)) every
             GROUP BY every.id
             ORDER BY (max(every.score), every.id) >= (sure_score, sure_id) DESC,
                      0.67 * max(every.score) / (max(every.score) + 18) + coalesce(max(every.similarity), least_similarity) DESC
             LIMIT in_keep) best;
END $$;

-- Step 4. Of these passages the best that may be shown. Most of the best may be: first half as many again as are wanted are
-- looked at, then eight times as many, then all.
CREATE OR REPLACE FUNCTION recall_best(
    in_org text, in_ids bigint[], in_scores double precision[], in_kinds text[], in_workspace_id text, in_labels text[],
    in_now timestamptz, in_limit integer
) RETURNS bigint[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    pool integer;
    best bigint[];
BEGIN
    FOREACH pool IN ARRAY ARRAY[in_limit * 3 / 2, in_limit * 8, NULL] LOOP
        best := recall_shown(
            in_org, recall_first(in_ids, in_scores, pool), in_kinds, in_workspace_id, in_labels, in_now, in_limit);
        EXIT WHEN cardinality(best) >= in_limit OR pool >= coalesce(cardinality(in_ids), 0);
    END LOOP;
    RETURN best;
END $$;

-- Step 5, in a large scope: HNSW with iterative scans, and whole what lies beside the index (recall_is_indexed: vectors from the time
-- when the org was small). The index may end with fewer than are wanted (max_scan_tuples): then it is not `complete`. `worded` are
-- those with a word of the query.
CREATE OR REPLACE FUNCTION recall_near_by_index(
    org text, scope_ids bigint[], model integer, vector halfvec, any_word tsquery, in_kinds text[], in_workspace_id text,
    in_labels text[], in_now timestamptz, in_limit integer,
    OUT ids bigint[], OUT similarities double precision[], OUT worded bigint[], OUT complete boolean
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    -- These settings are known once a vector was read in this session, so the function cannot carry them itself. A few
    -- more candidates than an arm brings: a second round of the scan would cost as much as the first.
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
            set_config('hnsw.ef_search', greatest(40, least(1000, in_limit + 10))::text, true),
            set_config('hnsw.max_scan_tuples', '30000', true);
    -- Written with the model and its dimensions in it, so that the planner finds their index.
    EXECUTE format(
        'WITH indexed AS MATERIALIZED ('
        '    SELECT v.passage_id AS id, -(v.embedding::halfvec(%2$s) <#> $7::halfvec(%2$s)) AS similarity,'
        '           p.words @@ $9 AS worded'
        '      FROM passage_vectors v JOIN passages p ON p.org_id = $1 AND p.id = v.passage_id'
        '     WHERE v.scope_id = ANY ($2) /*citus: AND v.org_id = $1 */ AND v.model_id = %1$s AND v.dimensions = %2$s'
        '       AND v.indexed'
        '       AND recall_may_show(p.until, p.kind, p.workspace_id, p.labels, $4, $5, $6, $3)'
        '     ORDER BY v.embedding::halfvec(%2$s) <#> $7::halfvec(%2$s) LIMIT $8)'
        'SELECT array_agg(close.id), array_agg(close.similarity), array_agg(close.id) FILTER (WHERE close.worded),'
        '       (SELECT count(*) >= $8 FROM indexed) FROM ('
        '   SELECT id, similarity, worded FROM indexed'
        '   UNION ALL'
        '   (SELECT beside.id, beside.similarity, p.words @@ $9'
        '      FROM (SELECT v.passage_id AS id, -(v.embedding <#> $7) AS similarity'
        '              FROM passage_vectors v'
        '             WHERE v.scope_id = ANY ($2) /*citus: AND v.org_id = $1 */ AND v.model_id = %1$s AND NOT v.indexed'
        '             ORDER BY similarity DESC OFFSET 0) beside'
        '     CROSS JOIN LATERAL (SELECT p.words, recall_may_show(p.until, p.kind, p.workspace_id, p.labels, $4, $5, $6, $3) AS may'
        '                           FROM passages p WHERE p.org_id = $1 AND p.id = beside.id OFFSET 0) p'
        '     WHERE p.may'
        '     ORDER BY beside.similarity DESC LIMIT $8)'
        '   ORDER BY similarity DESC LIMIT $8) close',
        model, vector_dims(vector))
       INTO ids, similarities, worded, complete
      USING org, scope_ids, in_now, in_kinds, in_workspace_id, in_labels, vector, in_limit, any_word;
END $$;

-- Step 5, in any scope: every passage that may be shown is compared.
CREATE OR REPLACE FUNCTION recall_near_by_all(
    org text, scope_ids bigint[], model integer, vector halfvec, any_word tsquery, in_kinds text[], in_workspace_id text,
    in_labels text[], in_now timestamptz, in_limit integer,
    OUT ids bigint[], OUT similarities double precision[], OUT worded bigint[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT array_agg(close.id), array_agg(close.similarity), array_agg(close.id) FILTER (WHERE close.worded)
      INTO ids, similarities, worded
      FROM (SELECT v.passage_id AS id, -(v.embedding <#> vector) AS similarity, p.words @@ any_word AS worded
              FROM passage_vectors v
              JOIN passages p ON p.org_id = org AND p.id = v.passage_id
             WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model /*citus: AND v.org_id = org */
               AND recall_may_show(p.until, p.kind, p.workspace_id, p.labels, in_kinds, in_workspace_id, in_labels, in_now)
             ORDER BY v.embedding <#> vector
             LIMIT in_limit) close;
END $$;

-- Step 5, in a small scope: the closest passages, whether they may be shown or not; in the form that recall_near has.
CREATE OR REPLACE FUNCTION recall_closest(
    in_org text, scope_ids bigint[], model integer, vector halfvec, in_limit integer,
    OUT ids bigint[], OUT close_ids bigint[], OUT similarities double precision[], OUT worded bigint[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF vector IS NOT NULL THEN
        SELECT array_agg(close.id), array_agg(-close.distance) INTO close_ids, similarities
          FROM (SELECT v.passage_id AS id, v.embedding <#> vector AS distance
                  FROM passage_vectors v
                 WHERE v.scope_id = ANY (scope_ids) AND v.model_id = model /*citus: AND v.org_id = in_org */
                 ORDER BY distance
                 LIMIT in_limit) close;
        ids := close_ids;
    END IF;
END $$;

-- Step 5. `ids` may be shown; `close_ids` are all whose similarity was computed on the way. In a small scope the closest half
-- as many again as are wanted are looked at first, since most of them may be shown. Wherever that, or the index, gives
-- fewer than are wanted, all are compared: a filtered search never returns fewer than there are.
CREATE OR REPLACE FUNCTION recall_near(
    org text, scope_ids bigint[], model integer, vector halfvec, any_word tsquery, large boolean, in_kinds text[],
    in_workspace_id text, in_labels text[], in_now timestamptz, in_limit integer,
    OUT ids bigint[], OUT close_ids bigint[], OUT similarities double precision[], OUT worded bigint[]
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    complete boolean;
BEGIN
    IF vector IS NULL THEN
        RETURN;
    END IF;
    IF large THEN
        SELECT i.ids, i.similarities, i.worded, i.complete INTO close_ids, similarities, worded, complete
          FROM recall_near_by_index(org, scope_ids, model, vector, any_word, in_kinds, in_workspace_id, in_labels, in_now,
                                    in_limit) i;
        ids := close_ids;
    ELSE
        SELECT c.close_ids, c.similarities INTO close_ids, similarities
          FROM recall_closest(org, scope_ids, model, vector, in_limit * 3 / 2) c;
        ids := recall_shown(org, close_ids, in_kinds, in_workspace_id, in_labels, in_now, in_limit);
        complete := coalesce(cardinality(ids), 0) >= in_limit OR coalesce(cardinality(close_ids), 0) < in_limit * 3 / 2;
    END IF;
    IF NOT complete THEN
        SELECT * INTO close_ids, similarities, worded
          FROM recall_near_by_all(org, scope_ids, model, vector, any_word, in_kinds, in_workspace_id, in_labels, in_now,
                                  in_limit);
        ids := close_ids;
    END IF;
END $$;

-- Step 6. In a large scope a passage that is close may lie beyond the best of each word: its words count all the same. Only
-- what has a word of the query itself is looked up; what its neighbour said is passed over.
CREATE OR REPLACE FUNCTION recall_close_words(
    in_org text, in_ids bigint[], known bigint[], lexemes text[], idfs double precision[], mean double precision,
    OUT ids bigint[], OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT array_agg(more.id), array_agg(more.score) INTO ids, scores
      FROM (SELECT close.id,
                   sum(idfs[array_position(lexemes, p.lexeme)]
                       * recall_bm25(p.tf, p.tail, p.length, p.tail_length, mean)) AS score
              FROM (SELECT unnest(in_ids) EXCEPT SELECT unnest(known)) close (id)
             CROSS JOIN LATERAL (SELECT * FROM postings p WHERE p.passage_id = close.id /*citus: AND p.org_id = in_org */ OFFSET 0) p
             WHERE p.lexeme = ANY (lexemes)
             GROUP BY close.id) more;
END $$;

REVOKE ALL ON FUNCTION recall_bm25, recall_may_show, recall_shown, recall_scope_size, recall_frequency, recall_spelled_like,
    recall_query_words, recall_word_hits, recall_first, recall_best_of_both, recall_best, recall_near_by_index, recall_near_by_all, recall_closest,
    recall_near, recall_close_words, recall_as_query FROM PUBLIC;
