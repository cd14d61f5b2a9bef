-- Schema 1, continued: deletions, runs, changes, and two views for people.

-- The record of each deleted instance, without its name and data.
CREATE TABLE audit (
    position     bigint NOT NULL PRIMARY KEY,  -- no journal row has it
    instance_id  bigint NOT NULL,
    uuid         bytea  NOT NULL CHECK (length(uuid) = 16),
    namespace_id bigint NOT NULL,
    machine_id   bigint NOT NULL,  -- its last version
    rows         bigint NOT NULL CHECK (rows >= 1),
    digest       bytea  NOT NULL CHECK (length(digest) = 32),  -- of its last journal row
    at_ms        bigint NOT NULL,
    actor        text   COLLATE "C",
    reason       text   COLLATE "C",  -- a JSON string
    key          bytea  NOT NULL CHECK (length(key) = 32 OR length(key) = 0)
);

CREATE INDEX audit_key ON audit (key);

-- The last remaining row of each instance that is being deleted, partition by partition.
CREATE TABLE purge (
    partition   bigint  NOT NULL,
    waits       boolean NOT NULL,  -- true: only the emptied start is left, and its key is remembered
    head        bigint  NOT NULL,  -- the position of the last remaining row
    instance_id bigint  NOT NULL,
    seq         bigint  NOT NULL CHECK (seq >= 1),
    audit       bigint  NOT NULL,
    PRIMARY KEY (partition, waits, head)
);

-- The runs, each one verb for many instances: one row for each partition.
CREATE TABLE bulk (
    namespace_id bigint NOT NULL REFERENCES namespace (id),
    name         text   COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    partition    bigint NOT NULL,
    request      text   COLLATE "C" NOT NULL,  -- JSON
    actor        text   COLLATE "C",
    state        text   COLLATE "C" NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
    generation   bigint NOT NULL,
    floor        bigint NOT NULL,  -- the position at which the selection was made
    mark_machine bigint NOT NULL,
    mark         bigint NOT NULL,
    selected     bigint NOT NULL,
    outcome      text   COLLATE "C" NOT NULL,  -- JSON
    begun_ms     bigint NOT NULL,
    updated_ms   bigint NOT NULL,
    ended_ms     bigint,
    PRIMARY KEY (namespace_id, name, partition)
);

CREATE TABLE bulk_names (
    namespace_id bigint NOT NULL,
    name         text   COLLATE "C" NOT NULL,
    partition    bigint NOT NULL,
    piece        bigint NOT NULL,
    instances    text   COLLATE "C" NOT NULL,  -- one name a line
    PRIMARY KEY (namespace_id, name, partition, piece)
);

-- Each change that a caller made outside the histories of instances. The table `audit` has the deletions.
CREATE TABLE change (
    position     bigint NOT NULL PRIMARY KEY,
    namespace_id bigint NOT NULL,
    at_ms        bigint NOT NULL,
    actor        text   COLLATE "C",
    action       text   COLLATE "C" NOT NULL CHECK (action IN (
                     'apply', 'activate', 'suspend', 'resume', 'retention', 'queue', 'hold', 'release', 'run-begin',
                     'run-stop', 'run-resume', 'backup', 'clock', 'token')),
    object       text   COLLATE "C",
    version      bigint CHECK (version >= 1),
    number       bigint CHECK (number >= 0),
    detail       text   COLLATE "C",  -- a JSON string
    reason       text   COLLATE "C"   -- a JSON string
);

CREATE INDEX change_number ON change (number) WHERE number IS NOT NULL;

CREATE TRIGGER change_changed BEFORE UPDATE OR DELETE ON change
FOR EACH ROW EXECUTE FUNCTION refuse('a row of a change never changes and is never deleted');

-- Every instance that is not being deleted, for people who read with psql. These columns stay.
CREATE VIEW instances AS
SELECT
    instance.name AS instance,
    machine.name AS machine,
    machine.version AS version,
    instance.status AS status,
    instance.configuration AS state,
    instance.seq AS seq,
    instance.context AS context,
    instance.output AS output,
    instance.failure AS failure,
    to_timestamp(instance.created_ms / 1000.0) AS created_at,
    to_timestamp(instance.entered_ms / 1000.0) AS entered_at,
    to_timestamp(instance.updated_ms / 1000.0) AS updated_at,
    encode(instance.uuid, 'hex') AS uuid
FROM instance
JOIN machine ON machine.id = instance.machine_id
WHERE instance.status <> 'purging';

-- Every macrostep of these instances. The data of a redacted row is NULL.
CREATE VIEW history AS
SELECT
    journal.position AS position,
    instance.name AS instance,
    machine.name AS machine,
    machine.version AS version,
    journal.seq AS seq,
    to_timestamp(journal.at_ms / 1000.0) AS at,
    journal.kind AS kind,
    journal.event AS event,
    journal.from_state AS from_state,
    journal.to_state AS to_state,
    CASE WHEN length(journal.salt) = 0 THEN NULL ELSE journal.data END AS data,
    journal.note AS note,
    journal.actor AS actor,
    coalesce(length(journal.salt) = 0, false) AS redacted
FROM journal
JOIN instance ON instance.id = journal.instance_id
JOIN machine ON machine.id = journal.machine_id
WHERE instance.status <> 'purging';

-- The tokens of callers, in a schema of their own, which backups of the data leave out.
CREATE SCHEMA wfd_access;

CREATE TABLE wfd_access.token (
    id      bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    number  bigint NOT NULL CHECK (number >= 1),  -- of the last change
    content text   COLLATE "C" NOT NULL           -- JSON, with digests of secrets
);

-- The daemons of the store. Each renews its row once a second. A row whose lease has been over for a minute is removed.
CREATE TABLE daemon (
    id             bytea  NOT NULL PRIMARY KEY CHECK (length(id) = 16),  -- random for each start
    peer           text   COLLATE "C",           -- HOST:PORT for other daemons; NULL: it forwards nothing
    server         text   COLLATE "C" NOT NULL,  -- the server's start and timeline, to which `pid` belongs
    pid            bigint NOT NULL,              -- the server's process for the daemon's control connection
    lease_until_ms bigint NOT NULL,              -- by the server's clock
    skew_ms        bigint NOT NULL,              -- the daemon's clock less the server's
    tokens         bigint NOT NULL CHECK (tokens >= 0),  -- the number of the tokens that the daemon knows
    version        text   COLLATE "C" NOT NULL
) WITH (fillfactor = 50);

-- The secret by which daemons trust each other, in the schema that backups of the data leave out.
CREATE TABLE wfd_access.secret (
    id     bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    secret bytea  NOT NULL CHECK (length(secret) = 32)
);
