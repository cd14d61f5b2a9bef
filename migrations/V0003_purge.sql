-- Schema 3, continued: what becomes of instances that are deleted.

-- What stays of an instance that was deleted: no name, and nothing that it was told.
CREATE TABLE audit (
    position     INTEGER NOT NULL PRIMARY KEY,  -- no journal row has it
    instance_id  INTEGER NOT NULL,
    uuid         BLOB    NOT NULL CHECK (length(uuid) = 16),
    namespace_id INTEGER NOT NULL,
    machine_id   INTEGER NOT NULL,  -- the version that it ran last
    rows         INTEGER NOT NULL CHECK (rows >= 1),  -- how many journal rows it had
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),  -- of the last of them
    at_ms        INTEGER NOT NULL,  -- the clock's time, and never less than that of any row before
    actor        TEXT,              -- who deleted it, where that is known
    reason       TEXT,
    -- Digest of the caller's key and the name; empty where nobody gave a key.
    key          BLOB    NOT NULL CHECK (length(key) = 32 OR length(key) = 0)
) STRICT;

-- A request that comes again gets its first answer.
CREATE INDEX audit_key ON audit (key);

-- What is still to be deleted: of each instance whose status is purging, its last row that is left. The sweep deletes
-- the row with the highest position of them all, and goes on with the instance's row before. So of every instance the
-- first rows are left, and they chain.
CREATE TABLE purge (
    -- 1: the row is its start, emptied, and its key is remembered
    waits       INTEGER NOT NULL CHECK (waits IN (0, 1)),
    head        INTEGER NOT NULL,  -- the position of its last row
    instance_id INTEGER NOT NULL,
    seq         INTEGER NOT NULL CHECK (seq >= 1),  -- of that row: so many are left
    audit       INTEGER NOT NULL,  -- its position there
    PRIMARY KEY (waits, head)
) STRICT, WITHOUT ROWID;
