-- Schema 1. Times are integer milliseconds since 1970, UTC; UUIDs are 16 bytes, digests (SHA-256) 32.
-- Ids and positions are handed out by the writer, from the row in `store`, and never used again.

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
    clock_ms      INTEGER NOT NULL,  -- where last_ms began: 0, or what 'wfd clock accept' took as right
    clock_position INTEGER NOT NULL, -- last_ms counts the rows from here on
    clock         TEXT    NOT NULL CHECK (clock IN ('real', 'virtual')),
    clean         INTEGER NOT NULL CHECK (clean IN (0, 1)),  -- 1: the last daemon stopped in order
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
    seal         BLOB    NOT NULL CHECK (length(seal) = 32),  -- digest of what this row says, but for its id
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
    status        TEXT    NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled', 'purging')),
    seq           INTEGER NOT NULL CHECK (seq >= 1),
    head          INTEGER NOT NULL,  -- the position of the last row in `journal`
    configuration TEXT    NOT NULL,  -- paths of the active leaves, joined by commas
    context       TEXT    NOT NULL,  -- JSON
    memory        TEXT    NOT NULL,  -- JSON: what the history states remember
    armed         TEXT    NOT NULL,  -- JSON: its timers, and the events that it sent to itself and that come next
    armed_at      TEXT    NOT NULL,  -- JSON, parallel to `armed`: the positions of the rows that armed them
    output        TEXT,              -- JSON: what its final state gave
    failure       TEXT,              -- JSON: on which event it failed, and why; NULL unless its status is failed
    digest        BLOB    NOT NULL CHECK (length(digest) = 32),  -- of the row at `head`
    created_ms    INTEGER NOT NULL,
    updated_ms    INTEGER NOT NULL,
    UNIQUE (namespace_id, name)
) STRICT;

-- The only index for lists. One on the configuration would double the cost of an event.
CREATE INDEX instance_list ON instance (namespace_id, machine_id, status, id);

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
                    OR kind = 'failed' OR kind = 'retried' OR kind = 'cancelled' OR kind = 'reset' OR kind = 'set'
                    OR kind = 'migrated' OR kind = 'redacted'),
    event       TEXT    NOT NULL,
    from_state  TEXT    NOT NULL,  -- configurations before and after, as in `instance`
    to_state    TEXT    NOT NULL,
    actor       TEXT,
    key         BLOB,              -- the caller's key; a UUID is its 16 bytes
    digest      BLOB    NOT NULL CHECK (length(digest) = 32),  -- layout 2; through `previous` it covers all before
    note        TEXT,              -- JSON: of a row of kind failed, why
    data        TEXT               -- JSON; the last, so that what is large is not read for what stands behind it
) STRICT;

CREATE TRIGGER journal_update
BEFORE UPDATE ON journal
WHEN NOT (
    new.position IS old.position AND new.instance_id IS old.instance_id AND new.machine_id IS old.machine_id
    AND new.seq IS old.seq AND new.previous IS old.previous AND new.at_ms IS old.at_ms
    AND new.real_ms IS old.real_ms AND new.kind IS old.kind AND new.event IS old.event
    AND new.from_state IS old.from_state AND new.to_state IS old.to_state AND new.actor IS old.actor
    AND new.key IS old.key AND new.digest IS old.digest AND new.note IS old.note
    AND coalesce(substr(new.data, 1, 14), '') = '{"$redacted":"'
)
BEGIN
    SELECT RAISE(ABORT, 'a journal row never changes, except that its data is redacted');
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
    status        TEXT    NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled')),
    configuration TEXT    NOT NULL,
    context       TEXT    NOT NULL,
    memory        TEXT    NOT NULL,
    armed         TEXT    NOT NULL,
    output        TEXT,
    digest        BLOB    NOT NULL CHECK (length(digest) = 32),  -- of what this row says; the journal's covers it
    PRIMARY KEY (instance_id, seq)
) STRICT, WITHOUT ROWID;

-- What will come by itself, in the order in which it is due: a row for each element of `armed` of an instance that
-- runs, and none for any other. The row's place is known from `armed` and `armed_at`, so no other index is needed.
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
