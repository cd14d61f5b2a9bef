-- Schema 9: the record of what changes no instance.

-- Each change that a caller made outside the histories of instances. The table `audit` has the deletions.
CREATE TABLE change (
    position     INTEGER NOT NULL PRIMARY KEY,  -- no row of `journal`, `effect` or `audit` has it
    namespace_id INTEGER NOT NULL,
    at_ms        INTEGER NOT NULL,  -- the clock's time, and at least that of every earlier row
    actor        TEXT,              -- who made the change; NULL if unknown
    action       TEXT    NOT NULL CHECK (action IN (
                     'apply', 'activate', 'suspend', 'resume', 'retention', 'queue', 'hold', 'release', 'run-begin',
                     'run-stop', 'run-resume', 'backup', 'clock', 'token')),
    object       TEXT,              -- the name of the machine, the queue, the run or the token; NULL if there is none
    version      INTEGER CHECK (version >= 1),  -- of the machine, for `apply` and `activate`
    number       INTEGER CHECK (number >= 0),   -- of the change of tokens, increasing; NULL for other actions
    detail       TEXT,              -- what was changed, for people
    reason       TEXT
) STRICT;

-- Finds the latest change of tokens, which has the highest number.
CREATE INDEX change_action ON change (action);

CREATE TRIGGER change_update
BEFORE UPDATE ON change
BEGIN
    SELECT RAISE(ABORT, 'a row of a change never changes');
END;

CREATE TRIGGER change_delete
BEFORE DELETE ON change
BEGIN
    SELECT RAISE(ABORT, 'a row of a change is never deleted');
END;
