-- Schema 4: the erasures of redactions.

-- The redactions of instances with their progress, so that a restore can repeat them in an older backup.
CREATE TABLE erasure (
    -- The position of the row of kind 'redacted'. Negative: ordered by a restore and not begun yet.
    id          INTEGER NOT NULL PRIMARY KEY,
    instance_id INTEGER NOT NULL,
    uuid        BLOB    NOT NULL CHECK (length(uuid) = 16),
    seqs        TEXT    NOT NULL,  -- the seqs of the emptied rows, such as 3,7-9
    -- JSON: paths into the context; NULL: all of it; {context, data} if only parts of the rows' data are erased.
    paths       TEXT,
    name        TEXT,              -- the new name of the instance; NULL: it keeps its name
    at_ms       INTEGER NOT NULL,  -- the time of the first request
    -- The progress through the rows of the instance; all NULL when the erasure is complete.
    seq         INTEGER,           -- of the row of kind 'redacted'
    next        INTEGER,           -- the next position
    bottom      INTEGER,           -- the seqs of this pass, from `top` down to `bottom`; rows below are done
    top         INTEGER
) STRICT;

-- A redacted row keeps a text key as long as the key is remembered. Nothing else in it ever changes.
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
