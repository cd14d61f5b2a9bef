-- Schema 1, continued: what happened, and the tables that repeat what others say.

-- Every macrostep of every instance, in the order in which they were committed.
--
-- An index by instance would dirty one more random page for each event; `previous` leads from an instance's head back
-- to its start instead. For the same reason there is no foreign key to `instance`: without an index, deleting an
-- instance would search the whole table. The kinds are compared one by one, because SQLite builds a table in memory for
-- IN and a list, every time: that alone doubles the cost of a row.
CREATE TABLE journal (
    position    INTEGER NOT NULL PRIMARY KEY,
    instance_id INTEGER NOT NULL,
    machine_id  INTEGER NOT NULL,
    seq         INTEGER NOT NULL CHECK (seq >= 1),
    previous    INTEGER CHECK (previous < position),  -- the instance's row before; NULL for its first
    at_ms       INTEGER NOT NULL,  -- logical time
    real_ms     INTEGER,           -- the clock's time where it differs
    kind        TEXT    NOT NULL CHECK (
                    kind = 'event' OR kind = 'started' OR kind = 'sent' OR kind = 'timer' OR kind = 'result'
                    OR kind = 'failed' OR kind = 'retried' OR kind = 'skipped' OR kind = 'suspended'
                    OR kind = 'resumed' OR kind = 'cancelled' OR kind = 'reset' OR kind = 'set'
                    OR kind = 'migrated' OR kind = 'effect' OR kind = 'redacted'),
    event       TEXT    NOT NULL,
    from_state  TEXT    NOT NULL,  -- configurations before and after, as in `instance`
    to_state    TEXT    NOT NULL,
    actor       TEXT,
    key         BLOB,              -- the caller's key; a UUID is its 16 bytes
    digest      BLOB    NOT NULL CHECK (length(digest) = 32),  -- docs/digests.md; it covers all rows before
    note        TEXT,              -- JSON: {reason, failure, run, sender, invoke}; so far `failure`, why it failed
    -- NULL: derived from the instance's. 16 bytes: kept. Empty: the row is redacted, and only this says so.
    salt        BLOB    CHECK (salt IS NULL OR length(salt) = 16 OR length(salt) = 0),
    -- JSON; of a redacted row the commitment as a string. The last, so that what is large is not read for the others.
    data        TEXT
) STRICT;

-- A salt may be kept. A row may be redacted: its data becomes its commitment, which its digest covers, and its note and
-- a key that is no UUID may go. Every comparison is with IS: what is NULL here would let an update through.
CREATE TRIGGER journal_update
BEFORE UPDATE ON journal
WHEN NOT (
    new.position IS old.position AND new.instance_id IS old.instance_id AND new.machine_id IS old.machine_id
    AND new.seq IS old.seq AND new.previous IS old.previous AND new.at_ms IS old.at_ms
    AND new.real_ms IS old.real_ms AND new.kind IS old.kind AND new.event IS old.event
    AND new.from_state IS old.from_state AND new.to_state IS old.to_state AND new.actor IS old.actor
    AND new.digest IS old.digest
    AND (
        (old.salt IS NULL AND length(new.salt) IS 16 AND new.data IS old.data AND new.note IS old.note
        AND new.key IS old.key)
        OR
        ((old.salt IS NULL OR length(old.salt) IS 16) AND length(new.salt) IS 0
        AND length(new.data) IS 66 AND new.data GLOB '"*"' AND substr(new.data, 2, 64) NOT GLOB '*[^0-9a-f]*'
        AND (new.note IS old.note OR new.note IS NULL)
        AND (new.key IS old.key OR (new.key IS NULL AND length(old.key) IS NOT 16)))
    )
)
BEGIN
    SELECT RAISE(ABORT, 'a journal row never changes, except that its salt is kept or that it is redacted');
END;

CREATE TRIGGER journal_delete
BEFORE DELETE ON journal
WHEN NOT EXISTS (SELECT 1 FROM instance WHERE id = old.instance_id AND status = 'purging')
BEGIN
    SELECT RAISE(ABORT, 'a journal row is deleted only while its instance is purging');
END;

-- The whole of an instance after every 256th macrostep: where reading a history and travelling in time begin.
CREATE TABLE snapshot (
    instance_id   INTEGER NOT NULL REFERENCES instance (id),
    seq           INTEGER NOT NULL,
    position      INTEGER NOT NULL,  -- of the macrostep's row in `journal`
    status        TEXT    NOT NULL CHECK (status IN ('running', 'done', 'failed', 'suspended', 'cancelled')),
    configuration TEXT    NOT NULL,
    context       TEXT    NOT NULL,
    memory        TEXT    NOT NULL,
    armed         TEXT    NOT NULL,
    output        TEXT,
    salt          BLOB    CHECK (salt IS NULL OR length(salt) = 16),  -- NULL: it was emptied, and its digest stays
    digest        BLOB    NOT NULL CHECK (length(digest) = 32),  -- of what this row says; the journal's covers it
    PRIMARY KEY (instance_id, seq)
) STRICT, WITHOUT ROWID;

-- What will come by itself, in the order in which it is due: a row for each element of `armed` of an instance that
-- runs, and none for any other. The row's place is known from `armed`, so no other index is needed.
CREATE TABLE timer (
    due_ms      INTEGER NOT NULL,
    position    INTEGER NOT NULL,  -- of the row in `journal` that armed it
    ordinal     INTEGER NOT NULL,  -- its `number` in `armed`
    instance_id INTEGER NOT NULL,
    event       TEXT    NOT NULL,
    PRIMARY KEY (due_ms, position, ordinal)
) STRICT, WITHOUT ROWID;

-- The callers' keys that are remembered. What was answered stands in `journal`, at the position.
CREATE TABLE dedupe (
    key      BLOB    NOT NULL,
    scope    INTEGER NOT NULL,  -- of an event: the instance; of a start: minus the id of the machine's first version
    position INTEGER NOT NULL,
    PRIMARY KEY (key, scope)
) STRICT, WITHOUT ROWID;
-- Every restore that this file, or one that it replaced, has behind it: where generations of the store part.
CREATE TABLE restoration (
    generation    INTEGER NOT NULL PRIMARY KEY,  -- that began with the restore
    parent        INTEGER NOT NULL CHECK (parent < generation),  -- of the backup that was restored
    next_position INTEGER NOT NULL,  -- the first position that the generation hands out itself
    restored_ms   INTEGER NOT NULL
) STRICT;
