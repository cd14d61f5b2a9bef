-- Schema 1, continued: effects, the work outside machines that instances ask for, and the counts of instances.

-- The effects that have not ended. The batch that ends an effect deletes its row. A journal row at p has its effects at
-- p + 1, p + 2, …
CREATE TABLE effect (
    id          bigint NOT NULL PRIMARY KEY,
    partition   bigint NOT NULL,
    instance_id bigint NOT NULL,
    seq         bigint NOT NULL CHECK (seq >= 1),  -- of the macrostep that began the effect
    number      bigint CHECK (number >= 1),        -- in `armed`; NULL if the instance waits for no result
    name        text   COLLATE "C" NOT NULL,       -- the id of the invocation
    queue       text   COLLATE "C" NOT NULL CHECK (queue <> ''),
    state       text   COLLATE "C" NOT NULL CHECK (
                    state IN ('ready', 'leased', 'open', 'held', 'failed', 'answered')),
    priority    bigint NOT NULL CHECK (priority BETWEEN 1 AND 5),  -- 1 first
    due_ms      bigint NOT NULL,  -- ready: earliest begin; leased: end of the lease
    attempts    bigint NOT NULL CHECK (attempts >= 0),
    earlier     bigint NOT NULL CHECK (earlier >= 0),
    round       bigint NOT NULL CHECK (round >= 0),
    lease       bytea  CHECK ((lease IS NULL) = (state <> 'leased')),
    worker      text   COLLATE "C",  -- a JSON string
    progress    text   COLLATE "C",  -- JSON
    error       text   COLLATE "C",  -- JSON
    answer      text   COLLATE "C",  -- JSON
    request     text   COLLATE "C" NOT NULL  -- JSON
);

-- The order in which a partition's queue hands out effects.
CREATE INDEX effect_queue ON effect (partition, queue, state, priority, due_ms, id);

-- The effects whose result nobody awaits; few are.
CREATE INDEX effect_call ON effect (instance_id, id) WHERE number IS NULL;

-- Failed and late attempts: of every effect the first 10 and the last 90. They stay after the effect has ended.
CREATE TABLE attempt (
    effect      bigint NOT NULL,
    attempt     bigint NOT NULL CHECK (attempt >= 1),
    instance_id bigint NOT NULL,
    name        text   COLLATE "C",
    begun_ms    bigint NOT NULL,
    ended_ms    bigint NOT NULL,
    outcome     text   COLLATE "C" NOT NULL,
    error       text   COLLATE "C",  -- JSON
    PRIMARY KEY (effect, attempt)
);

-- The settings of queues. A queue without a row has the defaults.
CREATE TABLE queue (
    name        text    COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> ''),
    concurrency bigint  CHECK (concurrency >= 0),  -- the limit of concurrent attempts; NULL: the default
    rate        bigint  CHECK (rate >= 1),         -- the limit of starts in `rate_ms`; NULL: none
    rate_ms     bigint  CHECK ((rate_ms IS NULL) = (rate IS NULL) AND rate_ms >= 1),
    paused      boolean NOT NULL,
    actor       text    COLLATE "C",
    set_ms      bigint  NOT NULL
);

-- The number of instances of a machine version in a status and a configuration, as far as the changes of batches were
-- folded into it. A row that every batch updated in place would halve the throughput of lanes that share it.
CREATE TABLE tally (
    partition  bigint NOT NULL,
    machine_id bigint NOT NULL,
    status     text   COLLATE "C" NOT NULL,
    state      text   COLLATE "C" NOT NULL,  -- the configuration, as in `instance`
    n          bigint NOT NULL,
    PRIMARY KEY (partition, machine_id, status, state)
) WITH (fillfactor = 50);

-- The settings of machines, for all versions of each. A machine without a row has the defaults.
CREATE TABLE machine_setting (
    namespace_id  bigint NOT NULL REFERENCES namespace (id),
    name          text   COLLATE "C" NOT NULL CHECK (name <> ''),
    active        bigint CHECK (active >= 1),        -- the version of new instances; NULL: the latest
    retention_ms  bigint CHECK (retention_ms >= 1),  -- how long finished instances are kept; NULL: forever
    suspended_ms  bigint,                            -- NULL: it is not suspended
    suspended_by  text   COLLATE "C" CHECK (suspended_by IS NULL OR suspended_ms IS NOT NULL),
    suspended_why text   COLLATE "C" CHECK (suspended_why IS NULL OR suspended_ms IS NOT NULL),  -- a JSON string
    PRIMARY KEY (namespace_id, name)
);

-- The redactions of instances with their progress, so that a restore can repeat them in an older backup.
CREATE TABLE erasure (
    id          bigint NOT NULL PRIMARY KEY,  -- the position of the row of kind 'redacted'; negative: not begun yet
    instance_id bigint NOT NULL,
    uuid        bytea  NOT NULL CHECK (length(uuid) = 16),
    seqs        text   COLLATE "C" NOT NULL,  -- the seqs of the emptied rows, such as 3,7-9
    paths       text   COLLATE "C",           -- JSON
    name        text   COLLATE "C",           -- the new name of the instance; NULL: it keeps its name
    at_ms       bigint NOT NULL,
    seq         bigint,                       -- the progress; all NULL when the erasure is complete
    next        bigint,
    bottom      bigint,
    top         bigint
);
