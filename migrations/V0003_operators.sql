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
    suspended    INTEGER NOT NULL CHECK (suspended IN (0, 1)),  -- 1: nothing begins, and no instance takes an event
    retention_ms INTEGER CHECK (retention_ms >= 1),  -- how long finished instances are kept; NULL: for ever
    PRIMARY KEY (namespace_id, name)
) STRICT, WITHOUT ROWID;
