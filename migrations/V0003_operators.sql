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
