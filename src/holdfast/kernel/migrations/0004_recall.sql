-- Recall: one index of passages under every face.
--
-- The index holds ids, word vectors and embeddings, never content. Under a row-level policy Postgres would not use it
-- (word and distance operators are not leakproof), so these tables have no policy and no grant: the service's role reaches
-- them only through functions (kernel/recall/) that run as the owner and take the org from the transaction's setting.
-- Plain indexes start with scope_id, which belongs to one org; keys and unique indexes start with org_id.

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
-- The scope as an array: so no other index can answer the same question, and several scopes are looked up in one search. A pending
-- list would be read whole by each search, of all orgs' new words up to 4 MB: two milliseconds after a batch of 1,000.
CREATE INDEX recall_vocabulary_by_trigram ON recall_vocabulary USING gin ((ARRAY[scope_id]), lexeme gin_trgm_ops)
    WITH (fastupdate = off);

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
    tokens      bytea,               -- for close reading: a bit per dimension, 8 bytes per token; NULL: the model gives none
    indexed     boolean NOT NULL DEFAULT true,  -- in the HNSW index, see recall_is_indexed
    PRIMARY KEY (org_id, model_id, passage_id),
    FOREIGN KEY (org_id, passage_id) REFERENCES passages ON DELETE CASCADE
);
CREATE INDEX passage_vectors_by_passage ON passage_vectors (org_id, passage_id);
CREATE INDEX passage_vectors_by_scope ON passage_vectors (scope_id, model_id, indexed);
-- Whether an org has any in the HNSW index.
CREATE INDEX passage_vectors_indexed ON passage_vectors (org_id, model_id) WHERE indexed;
-- For scopes too large to compare whole. `holdfast reembed` makes one for a model with another number of dimensions.
CREATE INDEX passage_vectors_384 ON passage_vectors USING hnsw ((embedding::halfvec(384)) halfvec_ip_ops)
    WHERE dimensions = 384 AND indexed;

-- Passages whose vectors are being made by the process that put them, which has answered already. A row is deleted with the insert of
-- the vector; one that stays was left by a process that ended, and is handed to a job.
CREATE TABLE embeddings_underway (
    org_id      text NOT NULL,
    passage_id  bigint NOT NULL,
    scope_id    bigint NOT NULL,
    since       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, passage_id),
    FOREIGN KEY (org_id, passage_id) REFERENCES passages ON DELETE CASCADE
);
CREATE INDEX embeddings_underway_by_scope ON embeddings_underway (scope_id);
