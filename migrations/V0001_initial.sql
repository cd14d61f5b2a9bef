-- Schema 1. Times are integer milliseconds since 1970, UTC; UUIDs are 16 bytes, digests (SHA-256) 32.
-- Ids and positions are handed out by the writer, from the row in `store`, and never used again. Instances' ids and
-- positions have a partition above bit 48: here it is always 0.

-- The one row about the file itself. Every batch updates it WHERE epoch = …: fence, allocator and clock mark in one
-- write.
CREATE TABLE store (
    id            INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    uuid          BLOB    NOT NULL CHECK (length(uuid) = 16),
    generation    INTEGER NOT NULL,  -- raised by a restore; cursors carry it
    epoch         INTEGER NOT NULL,  -- raised by every start
    next_position INTEGER NOT NULL CHECK (next_position >= 1),
    next_instance INTEGER NOT NULL CHECK (next_instance >= 1),
    next_machine  INTEGER NOT NULL CHECK (next_machine >= 1),
    last_ms       INTEGER NOT NULL,  -- the highest time of the clock at which a row was written, and at least clock_ms
    -- 'wfd clock accept' lowers last_ms; without the next two, verify would miss that rows before lie in the future.
    clock_ms      INTEGER NOT NULL,  -- where last_ms began: 0, or what 'wfd clock accept' took as right
    clock_position INTEGER NOT NULL, -- last_ms counts the rows from here on
    clock         TEXT    NOT NULL CHECK (clock IN ('real', 'virtual')),
    clean         INTEGER NOT NULL CHECK (clean IN (0, 1)),  -- 1: the last daemon stopped in order
    held          INTEGER NOT NULL CHECK (held IN (0, 1)),   -- 1: no effect starts; nothing sets it so far
    dedupe_floor  INTEGER NOT NULL,  -- keys of positions below are forgotten
    dedupe_ms     INTEGER NOT NULL,  -- the latest time that a forgotten key says itself (UUID version 7)
    dedupe_count  INTEGER NOT NULL CHECK (dedupe_count >= 0),  -- rows in `dedupe`
    purge_floor   INTEGER NOT NULL   -- every row at or above is still there
) STRICT;

CREATE TABLE namespace (
    id   INTEGER NOT NULL PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

INSERT INTO namespace (id, name) VALUES (1, 'default');

-- The versions of the machines' definitions. A version never changes: the journal's digests cover it.
CREATE TABLE machine (
    id           INTEGER NOT NULL PRIMARY KEY,
    namespace_id INTEGER NOT NULL REFERENCES namespace (id),
    name         TEXT    NOT NULL,
    version      INTEGER NOT NULL CHECK (version >= 1),
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),  -- of the source
    semantics    INTEGER NOT NULL,  -- the engine's semantics number when it was applied
    source       TEXT    NOT NULL,  -- exactly as it was given
    created_ms   INTEGER NOT NULL,
    -- Digest of what this row says, but for its id: no digest of a journal row covers a version without instances.
    seal         BLOB    NOT NULL CHECK (length(seal) = 32),
    UNIQUE (namespace_id, name, version)
) STRICT;

CREATE TRIGGER machine_update
BEFORE UPDATE ON machine
BEGIN
    SELECT RAISE(ABORT, 'a machine version never changes');
END;

CREATE TRIGGER machine_delete
BEFORE DELETE ON machine
BEGIN
    SELECT RAISE(ABORT, 'a machine version is never deleted');
END;

-- The current state of every instance.
CREATE TABLE instance (
    id            INTEGER NOT NULL PRIMARY KEY,
    uuid          BLOB    NOT NULL CHECK (length(uuid) = 16),
    namespace_id  INTEGER NOT NULL REFERENCES namespace (id),
    name          TEXT    NOT NULL,
    machine_id    INTEGER NOT NULL REFERENCES machine (id),
    status        TEXT    NOT NULL CHECK (
                      status IN ('running', 'done', 'failed', 'suspended', 'cancelled', 'purging')),
    seq           INTEGER NOT NULL CHECK (seq >= 1),
    head          INTEGER NOT NULL,  -- the position of the last row in `journal`
    configuration TEXT    NOT NULL,  -- paths of the active leaves, joined by commas
    context       TEXT    NOT NULL,  -- JSON
    memory        TEXT    NOT NULL,  -- JSON: what the history states remember
    armed         TEXT    NOT NULL,  -- JSON: what will come by itself; (seq, number) says which, position who armed it
    output        TEXT,              -- JSON: what its final state gave
    failure       TEXT,              -- JSON: on which event it failed, and why; NULL unless its status is failed
    entered_ms    INTEGER NOT NULL,  -- the time of its last row that led to another configuration
    parent        TEXT,              -- JSON: of a child, whose it is; nothing sets it so far
    salt          BLOB    NOT NULL CHECK (length(salt) = 16),  -- random
    salt_from     INTEGER NOT NULL CHECK (salt_from >= 1),     -- rows from this seq on derive their salts from `salt`
    digest        BLOB    NOT NULL CHECK (length(digest) = 32),  -- of the row at `head`
    created_ms    INTEGER NOT NULL,
    updated_ms    INTEGER NOT NULL,
    UNIQUE (namespace_id, name)
) STRICT;

-- The only index for lists. One on the configuration would double the cost of an event.
CREATE INDEX instance_list ON instance (namespace_id, machine_id, status, id);
