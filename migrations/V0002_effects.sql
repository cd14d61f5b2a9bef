-- Schema 2: effects, the work outside machines that instances ask for.

-- The effects that have not ended. The batch that ends an effect deletes its row.
--
-- The id is a position: a journal row at p has its effects at p + 1, p + 2, …, and no journal row stands there. So a
-- new row is appended, and `armed` of its instance finds it. There is no index by instance, and no foreign key to one,
-- for the reasons that `journal` has.
CREATE TABLE effect (
    id          INTEGER NOT NULL PRIMARY KEY,
    instance_id INTEGER NOT NULL,
    seq         INTEGER NOT NULL CHECK (seq >= 1),  -- of the macrostep that began the effect
    number      INTEGER CHECK (number >= 1),        -- in `armed`, with `seq`; NULL if the instance waits for no result
    name        TEXT    NOT NULL,                   -- the id of the invocation
    queue       TEXT    NOT NULL CHECK (queue <> ''),  -- task:NAME, http:HOST:PORT or exec:NAME
    state       TEXT    NOT NULL CHECK (
                    state = 'ready' OR state = 'leased' OR state = 'open' OR state = 'held' OR state = 'failed'
                    OR state = 'answered'),
    priority    INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),  -- 1 first
    due_ms      INTEGER NOT NULL,  -- ready: earliest begin; leased: end of the lease
    attempts    INTEGER NOT NULL CHECK (attempts >= 0),  -- begun attempts
    earlier     INTEGER NOT NULL CHECK (earlier >= 0),   -- attempts before the last retry by an operator
    round       INTEGER NOT NULL CHECK (round >= 0),     -- incremented when an operator asks for a new key
    lease       BLOB    CHECK ((lease IS NULL) = (state <> 'leased')),  -- identifies the lease
    worker      TEXT,              -- the name that the worker gave
    progress    TEXT,              -- JSON: the last progress that the worker reported
    error       TEXT,              -- JSON: the error of the last failed attempt
    answer      TEXT,              -- JSON: a result that waits because the instance has failed
    -- JSON: the request. The last column, so that reading the others does not read it.
    request     TEXT    NOT NULL
) STRICT;

-- The order in which a queue hands out effects. SQLite appends the id to every entry, so ties are ordered by age.
CREATE INDEX effect_queue ON effect (queue, state, priority, due_ms);

-- Failed and late attempts: of every effect the first 10 and the last 90. They stay after the effect has ended. The key
-- is the order in which effects begin, so attempts that fail at the same time are neighbours.
CREATE TABLE attempt (
    effect      INTEGER NOT NULL,  -- the id of the effect, also after its row is gone
    attempt     INTEGER NOT NULL CHECK (attempt >= 1),
    instance_id INTEGER NOT NULL,
    name        TEXT,              -- the id of the invocation; NULL if the effect had ended before the attempt came
    begun_ms    INTEGER NOT NULL,
    ended_ms    INTEGER NOT NULL,
    outcome     TEXT    NOT NULL,
    error       TEXT,              -- JSON
    PRIMARY KEY (effect, attempt)
) STRICT, WITHOUT ROWID;

-- The settings of queues. A queue without a row has the defaults.
CREATE TABLE queue (
    name        TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    concurrency INTEGER CHECK (concurrency >= 0),  -- the limit of concurrent attempts; NULL: the default
    rate        INTEGER CHECK (rate >= 1),         -- the limit of starts in `rate_ms`; NULL: none
    rate_ms     INTEGER CHECK ((rate_ms IS NULL) = (rate IS NULL) AND rate_ms >= 1),
    paused      INTEGER NOT NULL CHECK (paused IN (0, 1)),  -- 1: nothing starts
    actor       TEXT,              -- who changed the settings last; NULL if unknown
    set_ms      INTEGER NOT NULL   -- when they were changed
) STRICT;
