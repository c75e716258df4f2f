-- Searching the passage index; functions.sql beside this file says who may.

-- The newest passage of these scopes whose vector is being made, if it was put within two seconds: who waits for it, waits for all
-- that were put before.
CREATE OR REPLACE FUNCTION recall_underway(in_org text, in_scopes text[]) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN (SELECT max(u.passage_id) FROM embeddings_underway u
             WHERE u.scope_id = ANY (recall_scope_ids(in_org, in_scopes)) AND u.since > now() - interval '2 seconds'
               AND u.org_id = in_org);

-- Whether a vector of these scopes is still being made, of those that were when `in_newest` was the newest.
CREATE OR REPLACE FUNCTION recall_is_underway(in_org text, in_scopes text[], in_newest bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
BEGIN
    RETURN EXISTS (SELECT FROM embeddings_underway u
                    WHERE u.scope_id = ANY (recall_scope_ids(org, in_scopes)) AND u.passage_id <= in_newest
                      AND u.org_id = org);
END $$;

-- What must be known before a query is embedded: which of its words are names of those who speak in these scopes, the model
-- whose vectors serve, and the newest passage there whose vector is being made, if it was put within two seconds.
CREATE OR REPLACE FUNCTION recall_begin(in_org text, in_scopes text[], in_words text[])
    RETURNS TABLE (names text[], model text, weights jsonb, underway bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
BEGIN
    RETURN QUERY SELECT
        ARRAY(SELECT DISTINCT a.word
                FROM recall_actors a
               WHERE a.scope_id = ANY (recall_scope_ids(org, in_scopes)) AND a.word = ANY (in_words)
                 AND a.org_id = org),
        (SELECT m.name FROM embedding_models m WHERE m.active),
        (SELECT o.recall_weights FROM orgs o WHERE o.org_id = org),
        recall_underway(org, in_scopes);
END $$;

-- Steps 1 to 3: what the words of a query bring up in these scopes. `ids` and `scores` are those of recall_word_hits, the rest is
-- described at each step.
CREATE OR REPLACE FUNCTION recall_by_words(
    org text, scope_ids bigint[], in_text text, in_literals text, in_large_limit integer,
    OUT n double precision, OUT mean double precision, OUT large boolean, OUT lexemes text[], OUT idfs double precision[],
    OUT queries tsquery[], OUT wholes text[], OUT ids bigint[], OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    config CONSTANT regconfig := (SELECT o.language::regconfig FROM orgs o WHERE o.org_id = org);
    size CONSTANT record := recall_scope_size(org, scope_ids);
    query record;
    hits record;
BEGIN
    n := size.n; mean := size.mean; large := size.large;
    IF n = 0 THEN
        RETURN;
    END IF;
    query := recall_query_words(
        org, scope_ids, tsvector_to_array(to_tsvector(config, in_text) || in_literals::tsvector), n, large);
    lexemes := query.lexemes; idfs := query.idfs; queries := query.queries; wholes := query.wholes;
    hits := recall_word_hits(org, scope_ids, lexemes, idfs, mean, large, in_large_limit);
    ids := hits.ids; scores := hits.scores;
END $$;

-- Takes steps 1 to 3 before the query's vector is known, while the service computes it, and keeps what they give for
-- recall_candidates in the same transaction, with the scopes and the workspace: as text, in a setting that ends with it. Of a large
-- scope only the best 200 hits: thousands take a millisecond to write and read, and are wanted only where many may not be shown.
CREATE OR REPLACE FUNCTION recall_words_ahead(
    in_org text, in_scopes text[], in_workspace_id text, in_text text, in_literals text
) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
    AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    scope_ids CONSTANT bigint[] := recall_scope_ids(in_org, in_scopes);
    w record;
BEGIN
    w := recall_by_words(org, scope_ids, in_text, in_literals, 200);
    PERFORM set_config(
        'holdfast.recall_words',
        ARRAY[in_org, scope_ids::text, in_workspace_id, w.n::text, w.mean::text, w.large::text, w.lexemes::text, w.idfs::text,
              w.queries::text, w.wholes::text, w.ids::text, w.scores::text]::text,
        true);
    RETURN true;
END $$;

-- Steps 1 to 3 for these scopes; without scopes (NULL) what recall_words_ahead kept, with the scopes and the workspace that it was
-- given: an error where it was not called in this transaction, or for another org.
CREATE OR REPLACE FUNCTION recall_words_asked(
    org text, in_scopes text[], in_workspace_id text, in_text text, in_literals text,
    OUT scope_ids bigint[], OUT workspace_id text, OUT n double precision, OUT mean double precision, OUT large boolean,
    OUT lexemes text[], OUT idfs double precision[], OUT queries tsquery[], OUT wholes text[], OUT ids bigint[],
    OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    kept text[];
BEGIN
    IF in_scopes IS NOT NULL THEN
        scope_ids := recall_scope_ids(org, in_scopes); workspace_id := in_workspace_id;
        SELECT * INTO n, mean, large, lexemes, idfs, queries, wholes, ids, scores
          FROM recall_by_words(org, scope_ids, in_text, in_literals, NULL);
        RETURN;
    END IF;
    kept := nullif(current_setting('holdfast.recall_words', true), '')::text[];
    IF kept[1] IS DISTINCT FROM org THEN
        RAISE EXCEPTION 'recall_words_ahead was not called in this transaction';
    END IF;
    scope_ids := kept[2]::bigint[]; workspace_id := kept[3];
    n := kept[4]::double precision; mean := kept[5]::double precision; large := kept[6]::boolean;
    lexemes := kept[7]::text[]; idfs := kept[8]::double precision[]; queries := kept[9]::tsquery[]; wholes := kept[10]::text[];
    ids := kept[11]::bigint[]; scores := kept[12]::double precision[];
END $$;

-- The words that state a preference as the org's language has them; NULL where they are not asked for.
CREATE OR REPLACE FUNCTION recall_preferences(in_org text, in_preferences text) RETURNS tsquery
    LANGUAGE sql STABLE
    RETURN CASE WHEN in_preferences IS NOT NULL
                THEN to_tsquery((SELECT o.language::regconfig FROM orgs o WHERE o.org_id = in_org), in_preferences) END;

-- The place of an id in a list that is in the order of ids; NULL where it is not in it.
CREATE OR REPLACE FUNCTION recall_place(ids bigint[], id bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ids[width_bucket(id, ids)] = id THEN width_bucket(id, ids) END;

-- The vectors of these passages, as far as they are there: their ids in order, how close each is to the query's, and the tokens where
-- they are asked for. One scan of the index reads them all; a look-up for each candidate takes twice as long.
CREATE OR REPLACE FUNCTION recall_vectors_of(
    in_org text, in_ids bigint[], model integer, vector halfvec, in_closely boolean,
    OUT ids bigint[], OUT similarities double precision[], OUT tokens bytea[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT array_agg(v.passage_id), array_agg(-(v.embedding <#> vector)) FILTER (WHERE vector IS NOT NULL),
           array_agg(v.tokens) FILTER (WHERE in_closely)
      INTO ids, similarities, tokens
      FROM (SELECT v.passage_id, v.embedding, v.tokens
              FROM passage_vectors v
             WHERE v.org_id = in_org AND v.model_id = model AND v.passage_id = ANY (in_ids)
             ORDER BY v.passage_id) v;
END $$;

-- These passages in the order of their ids, with the lexical score of each as far as the lexical arm knows it.
CREATE OR REPLACE FUNCTION recall_scores_of(
    wanted bigint[], in_ids bigint[], in_scores double precision[], OUT ids bigint[], OUT scores double precision[]
)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT array_agg(known.id ORDER BY known.id), array_agg(known.score ORDER BY known.id) INTO ids, scores
      FROM (SELECT every.id, max(every.score) AS score
              FROM (SELECT hit.id, hit.score, false AS wanted FROM unnest(in_ids, in_scores) hit (id, score)
                    UNION ALL SELECT unnest(wanted), 0, true) every
             GROUP BY every.id
            HAVING bool_or(every.wanted)) known;
END $$;

-- Step 7, and the one that the service calls: the passages of these scopes that a query may mean. Each arm brings its best;
-- for all of them comes the BM25 score (`lexical`: over its own words and those together with its tail, half and half), the
-- cosine, the query's words in it (`terms`; `whole` where one of them is as it was asked), its tokens for close reading where
-- that is asked for, and what the fusion weighs; `preference` is whether it has one of `in_preferences`, where those are asked for.
--
-- Of both arms' best, the best `in_keep` are read, where that is given. Nearly always everything in these scopes may be shown. So each
-- arm first brings its best without a look at that, and their rows are read once; only where one of them may not be shown are steps 4
-- and 5 taken, for what comes in its place.
--
-- Without scopes (NULL), what recall_words_ahead kept is taken up: scopes, workspace and words are those that it was given. A
-- passage that was put since is found by its vector alone.
CREATE OR REPLACE FUNCTION recall_candidates(
    in_org text, in_scopes text[], in_kinds text[], in_workspace_id text, in_labels text[], in_text text, in_literals text,
    in_vector halfvec, in_model text, in_lexical_limit integer, in_semantic_limit integer, in_now timestamptz,
    in_closely boolean, in_preferences text, in_keep integer
) RETURNS TABLE (
    kind text, object_id text, starts integer, ends integer, session_id text, actor text, at timestamptz,
    updated_at timestamptz, importance smallint, pinned boolean, lexical double precision, rank real,
    similarity double precision, terms text[], whole boolean, embedded boolean, tokens bytea, scope_size double precision,
    preference boolean
)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
    AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    preferences CONSTANT tsquery := recall_preferences(in_org, in_preferences);
    -- The sum by which some are left out knows only the weights that an org has by default.
    keep CONSTANT integer := (SELECT in_keep FROM orgs o WHERE o.org_id = org AND nullif(o.recall_weights, '{}') IS NULL);
    w record; near record;
    best_ids bigint[]; best_scores double precision[];
    more_ids bigint[]; more_scores double precision[];
    any_word tsquery;
    best record; vectors record;
    given bigint;
BEGIN
    w := recall_words_asked(org, in_scopes, in_workspace_id, in_text, in_literals);
    IF w.n = 0 THEN RETURN; END IF;
    IF w.large OR in_vector IS NULL THEN
        any_word := (SELECT string_agg(each::text, ' | ') FROM unnest(w.queries) each)::tsquery;
    END IF;
    IF w.large THEN
        near := recall_near(org, w.scope_ids, model, in_vector, any_word, true, in_kinds, w.workspace_id, in_labels, in_now,
                            in_semantic_limit);
        best_ids := w.ids[:in_lexical_limit]; best_scores := w.scores[:in_lexical_limit];
        SELECT * INTO more_ids, more_scores
          FROM recall_close_words(org, near.worded, best_ids, w.lexemes, w.idfs, w.mean);
    ELSE
        best_ids := w.ids; best_scores := w.scores;
        near := recall_closest(org, w.scope_ids, model, in_vector, in_semantic_limit);
    END IF;
    best := recall_best_of_both(best_ids, best_scores, in_lexical_limit, more_ids, more_scores, near.ids, near.similarities, keep);

    FOR attempt IN 1 .. 2 LOOP
        vectors := recall_vectors_of(org, best.ids, model, in_vector, in_closely);
        RETURN QUERY
        SELECT p.kind, p.object_id, p.starts, p.ends, p.session_id, p.actor, p.at, p.updated_at, p.importance, p.pinned,
               best.scores[p.place],
               -- By this, words alone are ranked; beside a vector nobody asks for it.
               CASE WHEN in_vector IS NULL THEN coalesce(ts_rank_cd(p.words, any_word), 0) ELSE 0 END,
               vectors.similarities[p.vector_place], said.terms,
               coalesce(said.terms && w.wholes, false),
               p.vector_place IS NOT NULL, vectors.tokens[p.vector_place], w.n, coalesce(p.words @@ preferences, false)
          FROM (SELECT *, recall_place(best.ids, passages.id) AS place, recall_place(vectors.ids, passages.id) AS vector_place
                  FROM passages WHERE passages.org_id = org AND passages.id = ANY (best.ids) OFFSET 0) p
         CROSS JOIN LATERAL (
             -- What has no score has no word of the query.
             SELECT CASE WHEN best.scores[p.place] = 0 THEN '{}'
                         ELSE ARRAY(SELECT word.lexeme FROM unnest(w.lexemes, w.queries) word (lexeme, query)
                                     WHERE p.words @@ word.query) END AS terms OFFSET 0) said
         WHERE recall_may_show(p.until, p.kind, p.workspace_id, p.labels, in_kinds, w.workspace_id, in_labels, in_now);
        GET DIAGNOSTICS given = ROW_COUNT;
        EXIT WHEN given = coalesce(cardinality(best.ids), 0);
        IF w.large AND in_scopes IS NULL THEN  -- of which only the best were kept
            SELECT hits.ids, hits.scores INTO w.ids, w.scores
              FROM recall_word_hits(org, w.scope_ids, w.lexemes, w.idfs, w.mean, true, NULL) hits;
        ELSIF NOT w.large THEN
            near := recall_near(org, w.scope_ids, model, in_vector, any_word, false, in_kinds, w.workspace_id, in_labels, in_now,
                                in_semantic_limit);
        END IF;
        best := recall_scores_of(
            ARRAY(SELECT unnest(recall_best(org, w.ids, w.scores, in_kinds, w.workspace_id, in_labels, in_now, in_lexical_limit)
                                || near.ids)
                  EXCEPT SELECT unnest(best.ids)),
            w.ids || more_ids, w.scores || more_scores);
    END LOOP;
END $$;

-- What can be said of objects that a question did not bring up: whether they are in these scopes at all, whether any word
-- of the query is in them, and how close they are.
CREATE OR REPLACE FUNCTION recall_probe(
    in_org text, in_kind text, in_object_ids text[], in_scopes text[], in_text text, in_literals text, in_vector halfvec, in_model text
) RETURNS TABLE (object_id text, matches boolean, embedded boolean, similarity double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org CONSTANT text := entered_org(in_org);
    model CONSTANT integer := (SELECT m.id FROM embedding_models m WHERE m.name = in_model);
    config CONSTANT regconfig := (SELECT o.language::regconfig FROM orgs o WHERE o.org_id = in_org);
    asked CONSTANT text[] := tsvector_to_array(to_tsvector(config, in_text) || in_literals::tsvector);
BEGIN
    RETURN QUERY
    SELECT p.object_id, bool_or(tsvector_to_array(p.words) && asked), bool_or(v.passage_id IS NOT NULL),
           max(-(v.embedding <#> in_vector))
      FROM passages p
      LEFT JOIN passage_vectors v ON v.org_id = p.org_id AND v.model_id = model AND v.passage_id = p.id
     WHERE p.org_id = org AND p.kind = in_kind AND p.object_id = ANY (in_object_ids)
       AND p.scope_id = ANY (recall_scope_ids(org, in_scopes))
     GROUP BY p.object_id;
END $$;

REVOKE ALL ON FUNCTION
    recall_underway, recall_is_underway, recall_begin, recall_by_words, recall_words_ahead, recall_words_asked,
    recall_preferences, recall_place, recall_vectors_of, recall_scores_of, recall_candidates, recall_probe
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recall_is_underway, recall_begin, recall_words_ahead, recall_candidates, recall_probe TO holdfast_app;
