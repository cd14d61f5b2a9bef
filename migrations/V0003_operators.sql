-- Schema 3: what operators ask of many instances.

-- How many instances of a machine version are in a status and a configuration. Every batch writes what it has changed;
-- counting them anew would read the whole table of instances.
CREATE TABLE tally (
    machine_id INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    state      TEXT    NOT NULL,  -- the configuration, as in `instance`
    n          INTEGER NOT NULL,  -- no row has 0
    PRIMARY KEY (machine_id, status, state)
) STRICT, WITHOUT ROWID;

INSERT INTO tally (machine_id, status, state, n)
SELECT machine_id, status, configuration, count(*) FROM instance GROUP BY machine_id, status, configuration;

-- What an operator has set for a machine, whatever its versions. A machine without a row has the defaults.
CREATE TABLE machine_setting (
    namespace_id INTEGER NOT NULL REFERENCES namespace (id),
    name         TEXT    NOT NULL CHECK (name <> ''),
    active       INTEGER CHECK (active >= 1),        -- the version that new instances take; NULL: the latest
    retention_ms INTEGER CHECK (retention_ms >= 1),  -- how long finished instances are kept; NULL: for ever
    -- Since when nothing begins, and no instance takes an event; NULL: it is not suspended.
    suspended_ms  INTEGER,
    suspended_by  TEXT CHECK (suspended_by IS NULL OR suspended_ms IS NOT NULL),  -- the actor; NULL: nobody is known
    suspended_why TEXT CHECK (suspended_why IS NULL OR suspended_ms IS NOT NULL),  -- the reason that was given
    PRIMARY KEY (namespace_id, name)
) STRICT, WITHOUT ROWID;

-- What was erased of instances, so that a backup of before can be emptied of it too; and how far that is.
CREATE TABLE erasure (
    -- The position of the row of kind 'redacted'. Below 0: of a file that a backup has replaced, and not begun here.
    id          INTEGER NOT NULL PRIMARY KEY,
    instance_id INTEGER NOT NULL,
    uuid        BLOB    NOT NULL CHECK (length(uuid) = 16),
    seqs        TEXT    NOT NULL,  -- the rows that lose what they say: 3,7-9
    -- JSON: paths into the context; NULL: all of it; {context, data} where only paths of the rows' data go.
    paths       TEXT,
    name        TEXT,              -- the name that the instance has since; NULL: its own
    at_ms       INTEGER NOT NULL,  -- when somebody first asked for it
    -- Its way through the rows of the instance: NULL when nothing is left to do.
    seq         INTEGER,           -- of the row of kind 'redacted'
    next        INTEGER,           -- the position to look at next
    bottom      INTEGER,           -- the seqs of the way: those below are done
    top         INTEGER
) STRICT;

-- A row that is redacted keeps a text key as long as the key is remembered. Nothing else of it ever changes.
DROP TRIGGER journal_update;

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
        OR
        (length(old.salt) IS 0 AND length(new.salt) IS 0 AND new.data IS old.data AND new.note IS old.note
        AND new.key IS NULL AND old.key IS NOT NULL AND length(old.key) IS NOT 16)
    )
)
BEGIN
    SELECT RAISE(ABORT, 'a journal row never changes, except that its salt is kept or that it is redacted');
END;
