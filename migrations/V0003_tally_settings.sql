-- Schema 3: counts of instances, and the settings of machines.

-- The number of instances of a machine version in a status and a configuration. Every batch updates the numbers that it
-- changes; counting would read the whole table of instances.
CREATE TABLE tally (
    machine_id INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    state      TEXT    NOT NULL,  -- the configuration, as in `instance`
    n          INTEGER NOT NULL,  -- at least 1
    PRIMARY KEY (machine_id, status, state)
) STRICT, WITHOUT ROWID;

INSERT INTO tally (machine_id, status, state, n)
SELECT machine_id, status, configuration, count(*) FROM instance GROUP BY machine_id, status, configuration;

-- The settings of machines, for all versions of each. A machine without a row has the defaults.
CREATE TABLE machine_setting (
    namespace_id INTEGER NOT NULL REFERENCES namespace (id),
    name         TEXT    NOT NULL CHECK (name <> ''),
    active       INTEGER CHECK (active >= 1),        -- the version of new instances; NULL: the latest
    retention_ms INTEGER CHECK (retention_ms >= 1),  -- how long finished instances are kept; NULL: forever
    -- The time since which the machine accepts no start and no event; NULL: it is not suspended.
    suspended_ms  INTEGER,
    suspended_by  TEXT CHECK (suspended_by IS NULL OR suspended_ms IS NOT NULL),  -- the actor; NULL if unknown
    suspended_why TEXT CHECK (suspended_why IS NULL OR suspended_ms IS NOT NULL),  -- the given reason
    PRIMARY KEY (namespace_id, name)
) STRICT, WITHOUT ROWID;
