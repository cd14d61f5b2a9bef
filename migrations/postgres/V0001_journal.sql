-- Schema 1, continued: what happened, and the tables that repeat what others say.

-- Every macrostep of every instance. In a partition, the order of positions is the order of commits.
CREATE TABLE journal (
    position    bigint NOT NULL PRIMARY KEY,
    instance_id bigint NOT NULL,
    machine_id  bigint NOT NULL,
    seq         bigint NOT NULL CHECK (seq >= 1),
    previous    bigint CHECK (previous < position),  -- the instance's row before; NULL for its first
    at_ms       bigint NOT NULL,  -- logical time
    real_ms     bigint,           -- the clock's time where it differs
    kind        text   COLLATE "C" NOT NULL CHECK (
                    kind IN ('event', 'started', 'sent', 'timer', 'result', 'failed', 'retried', 'skipped',
                    'suspended', 'resumed', 'cancelled', 'reset', 'set', 'migrated', 'effect', 'redacted')),
    event       text   COLLATE "C" NOT NULL,
    from_state  text   COLLATE "C" NOT NULL,  -- configurations before and after, as in `instance`
    to_state    text   COLLATE "C" NOT NULL,
    actor       text   COLLATE "C",
    key         bytea,                        -- the caller's key; a UUID is its 16 bytes
    digest      bytea  NOT NULL CHECK (length(digest) = 32),  -- docs/digests.md; it covers all rows before
    note        text   COLLATE "C",           -- JSON: {reason, failure, run, sender, invoke}
    -- NULL: derived from the instance's. 16 bytes: kept. Empty: the row is redacted, and only this says so.
    salt        bytea  CHECK (salt IS NULL OR length(salt) = 16 OR length(salt) = 0),
    data        text   COLLATE "C"            -- JSON; of a redacted row the commitment as a string
);

-- A salt may be kept. A row may be redacted: its data becomes its commitment, which its digest covers, and its note and
-- a key that is no UUID may go. A redacted row may lose a text key later. Nothing else ever changes.
CREATE FUNCTION journal_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (new.position, new.instance_id, new.machine_id, new.seq, new.at_ms, new.kind, new.event, new.from_state,
        new.to_state, new.digest)
        = (old.position, old.instance_id, old.machine_id, old.seq, old.at_ms, old.kind, old.event, old.from_state,
        old.to_state, old.digest)
        AND new.previous IS NOT DISTINCT FROM old.previous AND new.real_ms IS NOT DISTINCT FROM old.real_ms
        AND new.actor IS NOT DISTINCT FROM old.actor
        AND (
            (old.salt IS NULL AND length(new.salt) = 16 AND new.data IS NOT DISTINCT FROM old.data
            AND new.note IS NOT DISTINCT FROM old.note AND new.key IS NOT DISTINCT FROM old.key)
            OR
            ((old.salt IS NULL OR length(old.salt) = 16) AND length(new.salt) = 0
            AND new.data ~ '^"[0-9a-f]{64}"$' AND (new.note IS NULL OR new.note IS NOT DISTINCT FROM old.note)
            AND (new.key IS NOT DISTINCT FROM old.key OR (new.key IS NULL AND length(old.key) <> 16)))
            OR
            (length(old.salt) = 0 AND length(new.salt) = 0 AND new.data = old.data
            AND new.note IS NOT DISTINCT FROM old.note AND new.key IS NULL AND length(old.key) <> 16)
        )
    THEN
        RETURN new;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation',
        MESSAGE = 'a journal row never changes, except that its salt is kept or that it is redacted';
END
$$;

CREATE TRIGGER journal_update BEFORE UPDATE ON journal FOR EACH ROW EXECUTE FUNCTION journal_changes();

CREATE FUNCTION journal_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM instance WHERE id = old.instance_id AND status = 'purging') THEN
        RETURN old;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation',
        MESSAGE = 'a journal row is deleted only while its instance is purging';
END
$$;

CREATE TRIGGER journal_delete BEFORE DELETE ON journal FOR EACH ROW EXECUTE FUNCTION journal_leaves();

-- The whole of an instance after every 256th macrostep: where reading a history and travelling in time begin.
CREATE TABLE snapshot (
    instance_id   bigint NOT NULL,
    seq           bigint NOT NULL,
    position      bigint NOT NULL,  -- of the macrostep's row in `journal`
    status        text   COLLATE "C" NOT NULL CHECK (
                      status IN ('running', 'done', 'failed', 'suspended', 'cancelled')),
    configuration text   COLLATE "C" NOT NULL,
    context       text   COLLATE "C" NOT NULL,
    memory        text   COLLATE "C" NOT NULL,
    armed         text   COLLATE "C" NOT NULL,
    output        text   COLLATE "C",
    salt          bytea  CHECK (length(salt) = 16),  -- NULL: it was emptied, and its digest stays
    digest        bytea  NOT NULL CHECK (length(digest) = 32),
    PRIMARY KEY (instance_id, seq)
);

-- What will come by itself, partition by partition in the order in which it is due.
CREATE TABLE timer (
    partition   bigint NOT NULL,
    due_ms      bigint NOT NULL,
    position    bigint NOT NULL,  -- of the row in `journal` that armed it
    ordinal     bigint NOT NULL,  -- its `number` in `armed`
    instance_id bigint NOT NULL,
    event       text   COLLATE "C" NOT NULL,
    PRIMARY KEY (partition, due_ms, position, ordinal)
);

-- The callers' keys that are remembered. What was answered stands in `journal`, at the position.
CREATE TABLE dedupe (
    key      bytea  NOT NULL,
    scope    bigint NOT NULL,  -- of an event: the instance; of a start: minus the id of the machine's first version
    position bigint NOT NULL,
    PRIMARY KEY (key, scope)
);

-- Every restore that this store has behind it: where its generations part, for each partition.
CREATE TABLE restoration (
    generation    bigint NOT NULL,  -- that began with the restore
    partition     bigint NOT NULL,
    parent        bigint NOT NULL CHECK (parent < generation),  -- of the backup that was restored
    next_position bigint NOT NULL,  -- the first position that the generation hands out itself
    restored_ms   bigint NOT NULL,
    PRIMARY KEY (generation, partition)
);
