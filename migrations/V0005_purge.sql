-- Schema 5: the record and the progress of deletions.

-- The record of each deleted instance, without its name and data.
CREATE TABLE audit (
    position     INTEGER NOT NULL PRIMARY KEY,  -- no journal row has it
    instance_id  INTEGER NOT NULL,
    uuid         BLOB    NOT NULL CHECK (length(uuid) = 16),
    namespace_id INTEGER NOT NULL,
    machine_id   INTEGER NOT NULL,  -- its last version
    rows         INTEGER NOT NULL CHECK (rows >= 1),  -- the number of its journal rows
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),  -- of the last of them
    at_ms        INTEGER NOT NULL,  -- the clock's time, and at least that of every earlier row
    actor        TEXT,              -- who deleted it; NULL if unknown
    reason       TEXT,
    -- The digest of the caller's key and the name; empty if the caller gave no key.
    key          BLOB    NOT NULL CHECK (length(key) = 32 OR length(key) = 0)
) STRICT;

-- Finds the first answer to a repeated request.
CREATE INDEX audit_key ON audit (key);

-- The last remaining row of each instance that is being deleted. The sweep deletes the row with the highest position of
-- all, and continues with the row before it of the same instance. So the remaining rows of each instance are its first
-- ones, and they still chain.
CREATE TABLE purge (
    -- 1: only the emptied start is left, and its key is remembered
    waits       INTEGER NOT NULL CHECK (waits IN (0, 1)),
    head        INTEGER NOT NULL,  -- the position of the last remaining row
    instance_id INTEGER NOT NULL,
    seq         INTEGER NOT NULL CHECK (seq >= 1),  -- of that row, and so the number of remaining rows
    audit       INTEGER NOT NULL,  -- the position of its row in `audit`
    PRIMARY KEY (waits, head)
) STRICT, WITHOUT ROWID;
