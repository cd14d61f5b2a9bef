-- Schema 6: runs, each one verb for many instances.

-- The runs. The batch that acts on some instances also moves the mark, so that each instance has one turn.
CREATE TABLE bulk (
    namespace_id INTEGER NOT NULL REFERENCES namespace (id),
    name         TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    partition    INTEGER NOT NULL,
    request      TEXT    NOT NULL,  -- JSON: the verb, the selection and the reason
    actor        TEXT,
    state        TEXT    NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
    generation   INTEGER NOT NULL,  -- that of the store when the run was begun or resumed; a restore stops the run
    floor        INTEGER NOT NULL,  -- the position at which the selection was made
    mark_machine INTEGER NOT NULL,  -- all up to (mark_machine, mark) had their turn; with names, 0 and their number
    mark         INTEGER NOT NULL,
    selected     INTEGER NOT NULL,
    outcome      TEXT    NOT NULL,  -- JSON: counts, and the first instances of each kind with the reason
    begun_ms     INTEGER NOT NULL,
    updated_ms   INTEGER NOT NULL,
    ended_ms     INTEGER,
    PRIMARY KEY (namespace_id, name, partition)
) STRICT, WITHOUT ROWID;

-- The names of the instances of a run that names them, in pieces of 500.
CREATE TABLE bulk_names (
    namespace_id INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    partition    INTEGER NOT NULL,
    piece        INTEGER NOT NULL,
    instances    TEXT    NOT NULL,  -- one name a line
    PRIMARY KEY (namespace_id, name, partition, piece)
) STRICT, WITHOUT ROWID;
