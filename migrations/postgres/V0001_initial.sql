-- Schema 1 on PostgreSQL: what the steps 1 to 9 of SQLite make together. Times are integer milliseconds since 1970,
-- UTC; UUIDs are 16 bytes, digests (SHA-256) 32. Instances' ids and positions have their partition above bit 48.
--
-- Text is compared byte by byte. JSON is text, because jsonb loses the order of members and the form of numbers. A text
-- of PostgreSQL has no U+0000: free text (reason, worker, detail) is therefore stored as a JSON string.

-- The one row about the store itself.
CREATE TABLE store (
    id         integer NOT NULL PRIMARY KEY CHECK (id = 1),
    version    bigint  NOT NULL,  -- of this schema
    uuid       bytea   NOT NULL CHECK (length(uuid) = 16),
    generation bigint  NOT NULL,  -- raised by a restore; cursors carry it
    partitions bigint  NOT NULL CHECK (partitions BETWEEN 1 AND 64),
    clock      text    COLLATE "C" NOT NULL CHECK (clock IN ('real', 'virtual')),
    held       boolean NOT NULL,  -- true: no effect starts
    restoring  boolean NOT NULL DEFAULT false,  -- true: a restore has begun and not ended
    -- The numbers up to these were placed by a restore, each in one partition. 0: none.
    placed_position bigint NOT NULL DEFAULT 0 CHECK (placed_position >= 0),
    placed_instance bigint NOT NULL DEFAULT 0 CHECK (placed_instance >= 0)
);

-- The log of each partition, which is also its lock: every transaction appends the row `number` + 1. It selects
-- `previous`, the row `number`, by the owner that the writer believes in. Whom the last row names owns the partition.
-- A row that another has appended meets the primary key; a row that is gone leaves `previous` NULL.
CREATE TABLE batch (
    partition      bigint NOT NULL,
    number         bigint NOT NULL CHECK (number >= 1),
    owner          bytea  NOT NULL CHECK (length(owner) = 16 OR length(owner) = 0),  -- empty: nobody yet
    previous       bigint NOT NULL CHECK (previous = number - 1),
    -- The numbers after the batch, as in the row 'store' of SQLite.
    next_position  bigint NOT NULL,
    next_instance  bigint NOT NULL,
    next_machine   bigint NOT NULL CHECK (next_machine >= 1),
    last_ms        bigint NOT NULL,
    clock_ms       bigint NOT NULL,
    clock_position bigint NOT NULL,
    dedupe_floor   bigint NOT NULL,
    dedupe_ms      bigint NOT NULL,
    dedupe_count   bigint NOT NULL CHECK (dedupe_count >= 0),
    purge_floor    bigint NOT NULL,
    timer_floor    bigint NOT NULL,  -- no timer is due earlier, so scans skip the dead entries of the index
    settles        boolean NOT NULL, -- true: an empty batch, appended to find out the outcome of the one before
    tally          text,             -- JSON: the changes of the counts; a fold adds them to the table `tally`
    PRIMARY KEY (partition, number)
);

CREATE TABLE namespace (
    id   bigint NOT NULL PRIMARY KEY,
    name text   COLLATE "C" NOT NULL UNIQUE
);

INSERT INTO namespace (id, name) VALUES (1, 'default');

-- The versions of the machines' definitions. A version never changes: the journal's digests cover it.
CREATE TABLE machine (
    id           bigint NOT NULL PRIMARY KEY,
    namespace_id bigint NOT NULL REFERENCES namespace (id),
    name         text   COLLATE "C" NOT NULL,
    version      bigint NOT NULL CHECK (version >= 1),
    digest       bytea  NOT NULL CHECK (length(digest) = 32),  -- of the source
    semantics    bigint NOT NULL,  -- the engine's semantics number when it was applied
    source       bytea  NOT NULL,  -- exactly as it was given
    created_ms   bigint NOT NULL,
    seal         bytea  NOT NULL CHECK (length(seal) = 32),  -- the digest of what this row says, but for its id
    UNIQUE (namespace_id, name, version)
);

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = TG_ARGV[0];
END
$$;

CREATE TRIGGER machine_changed BEFORE UPDATE OR DELETE ON machine
FOR EACH ROW EXECUTE FUNCTION refuse('a machine version never changes and is never deleted');

-- The current state of every instance. No foreign key leads to `machine`: the check would lock the machine's row for
-- every instance. Half of each page stays free, so that an event changes a row within its page and no index.
CREATE TABLE instance (
    id            bigint NOT NULL PRIMARY KEY,
    uuid          bytea  NOT NULL CHECK (length(uuid) = 16),
    namespace_id  bigint NOT NULL,
    name          text   COLLATE "C" NOT NULL,
    machine_id    bigint NOT NULL,
    status        text   COLLATE "C" NOT NULL CHECK (
                      status IN ('running', 'done', 'failed', 'suspended', 'cancelled', 'purging')),
    seq           bigint NOT NULL CHECK (seq >= 1),
    head          bigint NOT NULL,  -- the position of the last row in `journal`
    configuration text   COLLATE "C" NOT NULL,  -- paths of the active leaves, joined by commas
    context       text   COLLATE "C" NOT NULL,  -- JSON
    memory        text   COLLATE "C" NOT NULL,  -- JSON: what the history states remember
    armed         text   COLLATE "C" NOT NULL,  -- JSON: what will come by itself
    output        text   COLLATE "C",           -- JSON: what its final state gave
    failure       text   COLLATE "C",           -- JSON: on which event it failed, and why
    entered_ms    bigint NOT NULL,  -- the time of its last row that led to another configuration
    parent        text   COLLATE "C",           -- JSON: of a child, whose it is; nothing sets it so far
    salt          bytea  NOT NULL CHECK (length(salt) = 16),
    salt_from     bigint NOT NULL CHECK (salt_from >= 1),
    digest        bytea  NOT NULL CHECK (length(digest) = 32),  -- of the row at `head`
    created_ms    bigint NOT NULL,
    updated_ms    bigint NOT NULL,
    UNIQUE (namespace_id, name)
) WITH (fillfactor = 50);

-- The only index for lists. One on the configuration would double the cost of an event.
CREATE INDEX instance_list ON instance (namespace_id, machine_id, status, id);
