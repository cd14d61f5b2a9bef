import Testing

/// A person's change of a file, and the expected findings.
struct Tampering: Sendable, CustomTestStringConvertible {
    let what: String
    let sql: String
    let findings: [String]

    init(_ what: String, _ sql: String, finds findings: String...) {
        self.what = what
        self.sql = sql
        self.findings = findings
    }

    var testDescription: String { what }

    /// True if the instance's own row cannot be read any more.
    var hidesTheInstance: Bool { findings.contains { $0.hasPrefix("order-7: the column") } }

    /// Returns the findings that need no rows outside the instance's own chain.
    func findings(inTheChainOf name: String) -> [String] {
        findings.filter { finding in
            guard finding.hasPrefix(name + ",") || finding.hasPrefix(name + ":") else { return false }
            let isElsewhere = [
                "there is a", "does not have it", "should be forgotten", "next instance", "goes on behind",
            ]
            .contains { finding.contains($0) }
            // A row of another instance that was given to this one.
            return !isElsewhere && !(what == "instance_id" && name == "oven-1")
        }
    }

    /// The changes of one byte in each column of a journal row, and of whole rows.
    static let journal: [Tampering] = [
        Tampering(
            "position", "UPDATE journal SET position = 100000 WHERE position = {order-7/3}",
            finds: "position 100000: the store's next position 321 is not above it",
            "order-7, seq 3: the row is missing"),
        Tampering(
            "position of the last row", "UPDATE journal SET position = 100000 WHERE position = {order-7/6}",
            finds: "position 100000: the store's next position 321 is not above it",
            "order-7, seq 6: its key is remembered for position 9"),
        Tampering(
            "instance_id", "UPDATE journal SET instance_id = instance_id + 1 WHERE position = {order-7/3}",
            finds: "oven-1, seq 1: the row is missing", "order-7, seq 3: the row is missing"),
        Tampering(
            "instance_id of nobody", "UPDATE journal SET instance_id = 99 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the row is missing",
            "position 6: the row belongs to an instance 99 that is not there"),
        Tampering(
            "machine_id", "UPDATE journal SET machine_id = 2 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "machine_id of none", "UPDATE journal SET machine_id = 9 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: machine 9 is missing"),
        Tampering(
            "seq", "UPDATE journal SET seq = 4 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the row is missing"),
        Tampering(
            "previous", "UPDATE journal SET previous = previous - 1 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the row names position 4 as the instance's row before, which is position 5"),
        Tampering(
            "previous of the first", "UPDATE journal SET previous = 1 WHERE position = {order-7/1}",
            finds: "order-7, seq 1: the row names position 1 as the instance's row before, which is none"),
        Tampering(
            "at_ms", "UPDATE journal SET at_ms = at_ms + 1 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "at_ms before the row before", "UPDATE journal SET at_ms = 1 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the row's time lies before that of the row before"),
        Tampering(
            "real_ms", "UPDATE journal SET real_ms = at_ms WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "real_ms of a timer", "UPDATE journal SET real_ms = real_ms + 1 WHERE position = {oven-2/3}",
            finds: "oven-2, seq 3: the digest does not fit what the row says"),
        Tampering(
            "kind", "UPDATE journal SET kind = 'evens' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the column 'kind' of its table 'journal' holds a value, which no wfd writes"),
        Tampering(
            "another kind", "UPDATE journal SET kind = 'timer' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "event", "UPDATE journal SET event = 'flop' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "data", "UPDATE journal SET data = replace(data, '3', '4') WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "data taken away", "UPDATE journal SET data = NULL WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "data as if redacted", #"UPDATE journal SET data = '{"$redacted":"x"}' WHERE position = {order-7/3}"#,
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "from_state", "UPDATE journal SET from_state = 'of' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "to_state", "UPDATE journal SET to_state = 'on' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "actor", "UPDATE journal SET actor = 'x' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "key", "UPDATE journal SET key = CAST(X'006B65792D39' AS BLOB) WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "note", "UPDATE journal SET note = '{}' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "note of a failure", "UPDATE journal SET note = NULL WHERE position = {oven-3/3}",
            finds: "oven-3, seq 3: the digest does not fit what the row says"),
        Tampering(
            "salt", "UPDATE journal SET salt = zeroblob(16) WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "salt that is none", "UPDATE journal SET salt = zeroblob(8) WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the column 'salt' of its table 'journal' holds a value, which no wfd writes"),
        Tampering(
            "redacted without its commitment", "UPDATE journal SET salt = X'' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the column 'salt' of its table 'journal' holds a value, which no wfd writes"),
        Tampering(
            "redacted with another commitment",
            #"UPDATE journal SET salt = X'', data = '"' || hex(zeroblob(32)) || '"' WHERE position = {order-7/3}"#,
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "digest",
            "UPDATE journal SET digest = CAST(zeroblob(16) || substr(digest, 17) AS BLOB) WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the digest does not fit what the row says"),
        Tampering(
            "digest of the last row", "UPDATE journal SET digest = zeroblob(32) WHERE position = {order-7/6}",
            finds: "order-7, seq 6: the digest does not fit what the row says"),
        Tampering(
            "digest cut", "UPDATE journal SET digest = X'00' WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the column 'digest' of its table 'journal' holds a value, which no wfd writes"),
        Tampering(
            "first row deleted", "DELETE FROM journal WHERE position = {order-7/1}",
            finds: "order-7, seq 1: the row is missing"),
        Tampering(
            "row deleted", "DELETE FROM journal WHERE position = {order-7/3}",
            finds: "order-7, seq 3: the row is missing"),
        Tampering(
            "last row deleted", "DELETE FROM journal WHERE position = {order-7/6}",
            finds: "order-7, seq 6: the row is missing"),
        Tampering(
            "all rows deleted", "DELETE FROM journal WHERE instance_id = 2",
            finds: "order-7, seq 1: the row is missing"),
        Tampering(
            "two rows swapped",
            """
            CREATE TEMP TABLE pair AS SELECT * FROM journal WHERE position IN ({order-7/3}, {order-7/4});
            DELETE FROM journal WHERE position IN ({order-7/3}, {order-7/4});
            UPDATE pair SET position = {order-7/3} + {order-7/4} - position;
            INSERT INTO journal SELECT * FROM pair;
            """, finds: "order-7, seq 3: the column 'previous' of its table 'journal' holds 6, which no wfd writes"),
        Tampering(
            "row twice",
            """
            INSERT INTO journal SELECT 5000, instance_id, machine_id, seq, previous, at_ms, real_ms, kind,
            event, from_state, to_state, actor, key, digest, note, salt, data FROM journal WHERE position = {order-7/6}
            """,
            finds: "position 5000: the store's next position 321 is not above it",
            "order-7, seq 6: the journal goes on behind the instance's last row"),
    ]

    /// The changes in the other tables.
    static let others: [Tampering] = [
        Tampering(
            "uuid", "UPDATE instance SET uuid = CAST(X'00' || substr(uuid, 2) AS BLOB) WHERE name = 'order-7'",
            finds: "order-7, seq 1: the digest does not fit what the row says"),
        Tampering(
            "uuid cut", "UPDATE instance SET uuid = X'00' WHERE name = 'order-7'",
            finds: "order-7: the column 'uuid' of its table 'instance' holds a value, which no wfd writes"),
        Tampering(
            "namespace_id", "UPDATE instance SET namespace_id = 7 WHERE name = 'order-7'",
            finds: "order-7: its namespace is missing"),
        Tampering(
            "instance's machine_id", "UPDATE instance SET machine_id = 2 WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance belongs to machine 2, its last row to 1"),
        Tampering(
            "status", "UPDATE instance SET status = 'done' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's status is 'done', but its history leads to 'running'"),
        Tampering(
            "status that is none", "UPDATE instance SET status = 'dome' WHERE name = 'order-7'",
            finds: "order-7: the column 'status' of its table 'instance' holds a value, which no wfd writes"),
        Tampering(
            "status of one with timers", "UPDATE instance SET status = 'done' WHERE name = 'oven-1'",
            finds: "oven-1, seq 4: the instance's status is 'done', but its history leads to 'running'"),
        Tampering(
            "instance's seq", "UPDATE instance SET seq = 5 WHERE name = 'order-7'",
            finds: "order-7, seq 5: the instance says that its last row is at 9, but it is at 8"),
        Tampering(
            "instance's higher seq", "UPDATE instance SET seq = 7 WHERE name = 'order-7'",
            finds: "order-7, seq 7: the instance says that its seq is 7, but its last row has 6"),
        Tampering(
            "head", "UPDATE instance SET head = {order-7/5} WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance says that its seq is 6, but its last row has 5"),
        Tampering(
            "head beyond", "UPDATE instance SET head = head + 1 WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance says that its last row is at 10, but it is at 9"),
        Tampering(
            "seq and head",
            """
            UPDATE instance SET seq = 5, head = {order-7/5}, digest = (SELECT digest FROM journal WHERE position
            = {order-7/5}) WHERE name = 'order-7'
            """,
            finds: "order-7, seq 5: the instance's configuration is 'on', but its last row ends in 'off'"),
        Tampering(
            "configuration", "UPDATE instance SET configuration = 'off' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's configuration is 'off', but its last row ends in 'on'"),
        Tampering(
            "context", "UPDATE instance SET context = '{\"lit\":false}' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's context is not what its history leads to"),
        Tampering(
            "memory", "UPDATE instance SET memory = '[]' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's history memory is not what its history leads to"),
        Tampering(
            "armed", "UPDATE instance SET armed = '[]' WHERE name = 'oven-1'",
            finds: "oven-1, seq 4: the instance's list of what is armed is not what its history leads to"),
        Tampering(
            "armed data", "UPDATE instance SET armed = replace(armed, '\"n\":1', '\"n\":2') WHERE name = 'oven-1'",
            finds: "oven-1, seq 4: the instance's list of what is armed is not what its history leads to"),
        Tampering(
            "position of what is armed",
            "UPDATE instance SET armed = replace(armed, '\"position\":', '\"position\":1') WHERE name = 'oven-1'",
            finds: "oven-1: its timer 'ring' is not in the table of timers"),
        Tampering(
            "armed that is no list", "UPDATE instance SET armed = '[1,2' WHERE name = 'oven-1'",
            finds: "oven-1: its list of timers cannot be read"),
        Tampering(
            "identity of what is armed",
            "UPDATE instance SET armed = replace(armed, '\"seq\":', '\"seq\":1') WHERE name = 'oven-1'",
            finds: "oven-1, seq 4: the instance's list of what is armed is not what its history leads to"),
        Tampering(
            "output", "UPDATE instance SET output = '1' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's output is not what its history leads to"),
        Tampering(
            "failure", "UPDATE instance SET failure = replace(failure, 'boom', 'bomb') WHERE name = 'oven-3'",
            finds: "oven-3, seq 3: the instance's failure is not that of its last row"),
        Tampering(
            "failure gone", "UPDATE instance SET failure = NULL WHERE name = 'oven-3'",
            finds: "oven-3, seq 3: the instance's failure is not that of its last row"),
        Tampering(
            "failure of an instance that runs", "UPDATE instance SET failure = '{}' WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's failure is not that of its last row"),
        Tampering(
            "entered_ms", "UPDATE instance SET entered_ms = entered_ms - 1 WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's configuration is not as old as its history says"),
        Tampering(
            "parent", "UPDATE instance SET parent = '{}' WHERE name = 'order-7'",
            finds: "order-7: it has a parent, which no wfd writes"),
        Tampering(
            "instance's salt", "UPDATE instance SET salt = zeroblob(16) WHERE name = 'order-7'",
            finds: "order-7, seq 1: the digest does not fit what the row says"),
        Tampering(
            "salt_from", "UPDATE instance SET salt_from = 4 WHERE name = 'order-7'",
            finds: "order-7, seq 1: the row's salt is missing"),
        Tampering(
            "instance's digest", "UPDATE instance SET digest = zeroblob(32) WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's digest is not that of its last row"),
        Tampering(
            "created_ms", "UPDATE instance SET created_ms = created_ms + 1 WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's start time is not that of its first row"),
        Tampering(
            "updated_ms", "UPDATE instance SET updated_ms = updated_ms + 1 WHERE name = 'order-7'",
            finds: "order-7, seq 6: the instance's last time is not that of its last row"),
        Tampering(
            "instance deleted", "DELETE FROM instance WHERE name = 'order-7'",
            finds: "position 4: the row belongs to an instance 2 that is not there"),
        Tampering("snapshot deleted", "DELETE FROM snapshot", finds: "long, seq 256: the snapshot is missing"),
        Tampering(
            "snapshot's context", "UPDATE snapshot SET context = '{\"lit\":true }'",
            finds: "long, seq 256: the digest of the snapshot does not fit what the snapshot says"),
        Tampering(
            "snapshot's status", "UPDATE snapshot SET status = 'done'",
            finds: "long, seq 256: the digest of the snapshot does not fit what the snapshot says"),
        Tampering(
            "snapshot's position", "UPDATE snapshot SET position = position + 1",
            finds: "long, seq 256: the snapshot names position 271 instead of the row's"),
        Tampering(
            "snapshot's salt", "UPDATE snapshot SET salt = zeroblob(16)",
            finds: "long, seq 256: the digest of the snapshot does not fit what the snapshot says"),
        Tampering(
            "snapshot's digest", "UPDATE snapshot SET digest = zeroblob(32)",
            finds: "long, seq 256: the digest of the snapshot does not fit what the snapshot says"),
        Tampering("snapshot's seq", "UPDATE snapshot SET seq = 255", finds: "long, seq 256: the snapshot is missing"),
        Tampering(
            "snapshot of another instance", "UPDATE snapshot SET instance_id = 2",
            finds: "long, seq 256: the snapshot is missing", "order-7, seq 256: there is a snapshot without its row"),
        Tampering(
            "snapshot of nobody", "UPDATE snapshot SET instance_id = 99",
            finds: "long, seq 256: the snapshot is missing",
            "seq 256: a snapshot belongs to an instance 99 that is not there"),
        Tampering(
            "a snapshot more",
            """
            INSERT INTO snapshot SELECT 2, 3, 9, status, configuration, context, memory, armed, output, salt, digest
            FROM snapshot
            """,
            finds: "order-7, seq 3: there is a snapshot without its row"),
        Tampering(
            "timer deleted", "DELETE FROM timer WHERE event = 'ring'",
            finds: "oven-1: its timer 'ring' is not in the table of timers"),
        Tampering(
            "timer's time", "UPDATE timer SET due_ms = due_ms + 1 WHERE event = 'ring'",
            finds: "oven-1: its timer 'ring' is not in the table of timers"),
        Tampering(
            "timer's instance", "UPDATE timer SET instance_id = 2 WHERE event = 'ring'",
            finds: "oven-1: its timer 'ring' is not in the table of timers",
            "order-7: there is a timer 'ring' that it has not armed"),
        Tampering(
            "timer's event", "UPDATE timer SET event = 'rinh' WHERE event = 'ring'",
            finds: "oven-1: its timer 'ring' is not in the table of timers"),
        Tampering(
            "a timer more", "INSERT INTO timer VALUES (1, 1, 1, 2, 'flip')",
            finds: "order-7: there is a timer 'flip' that it has not armed"),
        Tampering(
            "a timer of nobody", "INSERT INTO timer VALUES (1, 1, 1, 99, 'flip')",
            finds: "position 1: a timer belongs to an instance 99 that is not there"),
        Tampering(
            "key deleted", "DELETE FROM dedupe WHERE position = {order-7/3}",
            finds: "order-7, seq 3: its key is not among those remembered",
            "the store says that it remembers 8 keys, but there are 7"),
        Tampering(
            "key's position", "UPDATE dedupe SET position = {order-7/2} WHERE position = {order-7/3}",
            finds: "order-7, seq 3: its key is remembered for position 5"),
        Tampering(
            "key's scope", "UPDATE dedupe SET scope = 99 WHERE position = {order-7/3}",
            finds: "order-7, seq 3: its key is not among those remembered",
            "position 6: a key is remembered for a row that does not have it"),
        Tampering(
            "key of a start deleted", "DELETE FROM dedupe WHERE position = {oven-1/1}",
            finds: "oven-1, seq 1: its key is not among those remembered",
            "the store says that it remembers 8 keys, but there are 7"),
        Tampering(
            "a key more", "INSERT INTO dedupe VALUES (X'0041', 2, {order-7/3})",
            finds: "order-7, position 6: a key is remembered for a row that does not have it",
            "the store says that it remembers 8 keys, but there are 9"),
        Tampering(
            "number of keys", "UPDATE store SET dedupe_count = dedupe_count + 1",
            finds: "the store says that it remembers 9 keys, but there are 8"),
        Tampering(
            "next_position", "UPDATE store SET next_position = 5",
            finds: "position 320: the store's next position 5 is not above it"),
        Tampering(
            "next_instance", "UPDATE store SET next_instance = 2",
            finds: "oven-3: the store's next instance number 2 is not above its own"),
        Tampering(
            "next_position too high", "UPDATE store SET next_position = 5000",
            finds: "the store's next position is 5000, but the last one there is 320"),
        Tampering(
            "next_instance too high", "UPDATE store SET next_instance = next_instance + 1",
            finds: "the store's next instance number is 7, but the last one there is 5"),
        Tampering(
            "next_machine", "UPDATE store SET next_machine = 2",
            finds: "the store's next machine number 2 is not above the last one, 2"),
        Tampering(
            "last_ms too low", "UPDATE store SET last_ms = last_ms - 1",
            finds: "the store's last time is 1700000605999, but that of its rows is 1700000606000"),
        Tampering(
            "last_ms too high", "UPDATE store SET last_ms = last_ms + 1",
            finds: "the store's last time is 1700000606001, but that of its rows is 1700000606000"),
        Tampering(
            "clock_ms", "UPDATE store SET clock_ms = last_ms + 1",
            finds: "the store's last time is 1700000606000, but that of its rows is 1700000606001"),
        Tampering(
            "clock_position", "UPDATE store SET clock_position = next_position",
            finds: "the store's last time is 1700000606000, but that of its rows is 0"),
        Tampering(
            "dedupe_ms", "UPDATE store SET dedupe_ms = 1",
            finds: "the store says that the latest key it has forgotten is of 1, but that is of 0"),
        Tampering(
            "dedupe_floor", "UPDATE store SET dedupe_floor = {order-7/3}",
            finds: "order-7, position 5: a key is remembered that should be forgotten"),
        Tampering(
            "purge_floor", "UPDATE store SET purge_floor = 2",
            finds: "the store says that rows before position 2 are gone, but nothing was deleted"),
        Tampering(
            "generation", "UPDATE store SET generation = 2",
            finds: "the store's generation 2 is not that of its last restore"),
        Tampering(
            "a restore more", "INSERT INTO restoration VALUES (2, 1, 100, 1700000000000)",
            finds: "the restore of generation 2 holds what no wfd writes"),
        Tampering(
            "restore at no position",
            "INSERT INTO restoration VALUES (2, 1, 5000, 1700000000000); UPDATE store SET generation = 2",
            finds: "generation 2 begins at position 5000, behind its end"),
        Tampering(
            "restore of no generation",
            "INSERT INTO restoration VALUES (5, 4, 100, 1700000000000); UPDATE store SET generation = 5",
            finds: "the restore of generation 5 holds what no wfd writes"),
        Tampering(
            "namespace's name", "UPDATE namespace SET name = 'defaulu'",
            finds: "there is not the one namespace 'default'"),
        Tampering(
            "name", "UPDATE instance SET name = 'order-8' WHERE name = 'order-7'",
            finds: "order-8, seq 1: the digest does not fit what the row says"),
        Tampering(
            "seq past all", "UPDATE instance SET seq = 9223372036854775807 WHERE name = 'order-7'",
            finds:
                "order-7: the column 'seq' of its table 'instance' holds 9223372036854775807, which no wfd writes"
        ),
        Tampering(
            "updated_ms before all", "UPDATE instance SET updated_ms = -9223372036854775808 WHERE name = 'order-7'",
            finds:
                "order-7: the column 'updated_ms' of its table 'instance' holds -9223372036854775808, "
                + "which no wfd writes"
        ),
        Tampering(
            "machine's name", "UPDATE machine SET name = 'lamq' WHERE name = 'lamp'",
            finds: "machine 'lamq', version 1: its row is not what was written",
            "long, seq 1: the digest does not fit what the row says",
            "order-7, seq 1: the digest does not fit what the row says",
            "position 1: a change names a machine or a version that is not there"),
        Tampering(
            "machine's version", "UPDATE machine SET version = 2 WHERE name = 'lamp'",
            finds: "machine 'lamp', version 2: its row is not what was written",
            "long, seq 1: the digest does not fit what the row says",
            "order-7, seq 1: the digest does not fit what the row says",
            "position 1: a change names a machine or a version that is not there"),
        Tampering(
            "machine's version past all", "UPDATE machine SET version = 9223372036854775807 WHERE name = 'oven'",
            finds:
                "machine 2: the column 'version' of its table 'machine' holds 9223372036854775807, which no wfd writes",
            "oven-1, seq 1: machine 2 is missing",
            "oven-2, seq 1: machine 2 is missing", "oven-3, seq 1: machine 2 is missing",
            "position 2: a change names a machine or a version that is not there"),
        Tampering(
            "machine's created_ms", "UPDATE machine SET created_ms = created_ms + 1 WHERE name = 'oven'",
            finds: "machine 'oven', version 1: its row is not what was written"),
        Tampering(
            "machine's seal", "UPDATE machine SET seal = zeroblob(32) WHERE name = 'oven'",
            finds: "machine 'oven', version 1: its row is not what was written"),
        Tampering(
            "machine's source", "UPDATE machine SET source = source || ' ' WHERE name = 'oven'",
            finds: "machine 'oven', version 1: the source is not what was applied"),
        Tampering(
            "machine's digest", "UPDATE machine SET digest = zeroblob(32) WHERE name = 'oven'",
            finds: "machine 'oven', version 1: the source is not what was applied",
            "oven-1, seq 1: the digest does not fit what the row says",
            "oven-2, seq 1: the digest does not fit what the row says",
            "oven-3, seq 1: the digest does not fit what the row says"),
        Tampering(
            "machine's semantics", "UPDATE machine SET semantics = 1 WHERE name = 'oven'",
            finds: "machine 'oven', version 1: its row is not what was written",
            "oven-1, seq 1: the digest does not fit what the row says",
            "oven-2, seq 1: the digest does not fit what the row says",
            "oven-3, seq 1: the digest does not fit what the row says"),
        Tampering(
            "machine's namespace", "UPDATE machine SET namespace_id = 7 WHERE name = 'oven'",
            finds: "machine 2 ('oven') has no namespace",
            "position 2: a change names a machine or a version that is not there"),
        Tampering(
            "machine deleted", "DELETE FROM machine WHERE name = 'oven'",
            finds: "the store's next machine number is 3, but the last one there is 1",
            "oven-1, seq 1: machine 2 is missing", "oven-2, seq 1: machine 2 is missing",
            "oven-3, seq 1: machine 2 is missing",
            "position 2: a change names a machine or a version that is not there"),
    ]
}
