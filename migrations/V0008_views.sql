-- Schema 8: two views for people who read with sqlite3. A later schema may change tables; these columns stay.

-- Every instance that is not being deleted. Times are UTC, context and output are JSON.
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
    strftime('%Y-%m-%dT%H:%M:%fZ', instance.created_ms / 1000.0, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', instance.entered_ms / 1000.0, 'unixepoch') AS entered_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', instance.updated_ms / 1000.0, 'unixepoch') AS updated_at,
    lower(hex(instance.uuid)) AS uuid
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
    strftime('%Y-%m-%dT%H:%M:%fZ', journal.at_ms / 1000.0, 'unixepoch') AS at,
    journal.kind AS kind,
    journal.event AS event,
    journal.from_state AS from_state,
    journal.to_state AS to_state,
    CASE WHEN length(journal.salt) IS 0 THEN NULL ELSE journal.data END AS data,
    journal.note AS note,
    journal.actor AS actor,
    length(journal.salt) IS 0 AS redacted
FROM journal
JOIN instance ON instance.id = journal.instance_id
JOIN machine ON machine.id = journal.machine_id
WHERE instance.status <> 'purging';
