
-- What an operator asks of many instances at once.

-- A run: one verb for many instances. A batch that does some of them moves the mark, so that each has its turn once.
CREATE TABLE bulk (
    namespace_id INTEGER NOT NULL REFERENCES namespace (id),
    name         TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    partition    INTEGER NOT NULL,
    request      TEXT    NOT NULL,  -- JSON: what is done, to whom, why
    actor        TEXT,
    state        TEXT    NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
    generation   INTEGER NOT NULL,  -- the store's when the run was begun or resumed: a restore stops it
    floor        INTEGER NOT NULL,  -- rows of the journal from this position on are younger than the selection
    mark_machine INTEGER NOT NULL,  -- all up to (mark_machine, mark) had their turn; of names 0 and their number
    mark         INTEGER NOT NULL,
    selected     INTEGER NOT NULL,
    outcome      TEXT    NOT NULL,  -- JSON: counts, and the first of each kind with the reason
    begun_ms     INTEGER NOT NULL,
    updated_ms   INTEGER NOT NULL,
    ended_ms     INTEGER,
    PRIMARY KEY (namespace_id, name, partition)
) STRICT, WITHOUT ROWID;

-- The instances of a run that names them, in pieces of 500.
CREATE TABLE bulk_names (
    namespace_id INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    partition    INTEGER NOT NULL,
    piece        INTEGER NOT NULL,
    instances    TEXT    NOT NULL,  -- a line each
    PRIMARY KEY (namespace_id, name, partition, piece)
) STRICT, WITHOUT ROWID;
