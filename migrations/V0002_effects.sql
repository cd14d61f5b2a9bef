-- Schema 2: what instances ask of the world.

-- What is asked and has not ended. The batch that ends an effect deletes its row.
--
-- The id is a position: a journal row at p has its effects at p + 1, p + 2, …, and no journal row stands there. So a
-- new row is appended, and `armed` of its instance finds it. There is no index by instance, and no foreign key to one,
-- for the reasons that `journal` has.
CREATE TABLE effect (
    id          INTEGER NOT NULL PRIMARY KEY,
    instance_id INTEGER NOT NULL,
    seq         INTEGER NOT NULL CHECK (seq >= 1),  -- of the macrostep that began it
    number      INTEGER CHECK (number >= 1),        -- in `armed`, with `seq`; NULL where nobody waits for a result
    name        TEXT    NOT NULL,                   -- the id of the invocation
    queue       TEXT    NOT NULL CHECK (queue <> ''),  -- who serves it: task:NAME, http:HOST:PORT, exec:NAME
    state       TEXT    NOT NULL CHECK (
                    state = 'ready' OR state = 'leased' OR state = 'open' OR state = 'held' OR state = 'failed'
                    OR state = 'answered'),
    priority    INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),  -- 1 first
    due_ms      INTEGER NOT NULL,  -- ready: not before; leased: until then
    attempts    INTEGER NOT NULL CHECK (attempts >= 0),  -- that have begun
    earlier     INTEGER NOT NULL CHECK (earlier >= 0),   -- of these, the ones before somebody let it be tried anew
    round       INTEGER NOT NULL CHECK (round >= 0),     -- raised where an operator wants a new key
    lease       BLOB    CHECK ((lease IS NULL) = (state <> 'leased')),  -- what names the lease
    worker      TEXT,              -- who has it, as the worker says
    progress    TEXT,              -- JSON: what the worker has told so far
    error       TEXT,              -- JSON: of the last attempt that failed
    answer      TEXT,              -- JSON: a result that waits, because its instance has failed
    -- JSON: what is asked. The last, so that what is large is not read for the others.
    request     TEXT    NOT NULL
) STRICT;

-- What a queue gives out next. The row's number stands at the end of every entry, and orders ties by age.
CREATE INDEX effect_queue ON effect (queue, state, priority, due_ms);

-- Attempts that failed or came late: of every effect the first 10 and the last 90. They stay when the effect has ended.
-- The key is the order in which effects begin: what fails at the same time stands together.
CREATE TABLE attempt (
    effect      INTEGER NOT NULL,  -- the id that its row has or had
    attempt     INTEGER NOT NULL CHECK (attempt >= 1),
    instance_id INTEGER NOT NULL,
    name        TEXT,              -- the id of the invocation; NULL: it had ended, and only a worker knew of it
    begun_ms    INTEGER NOT NULL,
    ended_ms    INTEGER NOT NULL,
    outcome     TEXT    NOT NULL,
    error       TEXT,              -- JSON
    PRIMARY KEY (effect, attempt)
) STRICT, WITHOUT ROWID;

-- What somebody has set for a queue. A queue without a row has the defaults.
CREATE TABLE queue (
    name        TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    concurrency INTEGER CHECK (concurrency >= 0),  -- how many may run at a time; NULL: the default
    rate        INTEGER CHECK (rate >= 1),         -- how many may start in `rate_ms`; NULL: as many as there are
    rate_ms     INTEGER CHECK ((rate_ms IS NULL) = (rate IS NULL) AND rate_ms >= 1),
    paused      INTEGER NOT NULL CHECK (paused IN (0, 1)),  -- 1: nothing starts
    actor       TEXT,              -- who has set it, where that is known
    set_ms      INTEGER NOT NULL   -- when
) STRICT;
