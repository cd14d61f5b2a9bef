import PostgresTesting
import Statechart
import StoreSuite
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// Commits the same batches to a store in memory, and compares what both say.
@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct PostgresWriterTests {
    /// A store in memory beside one on PostgreSQL.
    private struct Pair {
        let database: TestDatabase
        let memory: FakeStore
        let oracle: any StoreWriter
        let scribe: Scribe
        let writer: PostgresWriter

        init(partitions: Int = 1, folding: LogWriter.FoldLimits = .init()) throws {
            database = try TestDatabase(partitions: Int64(partitions))
            memory = FakeStore(partitions: partitions)
            oracle = try memory.writer()
            scribe = Scribe(oracle)
            writer = try Self.writer(database, owner: 1, memory.partitions, folding: folding)
        }

        static func writer(
            _ database: TestDatabase, owner: UInt8, _ partitions: [PartitionID],
            folding: LogWriter.FoldLimits = .init()
        ) throws -> PostgresWriter {
            let address = try database.address
            let owner = UniqueID(bytes: Array(repeating: owner, count: 16))
            return try PostgresWriter(
                address, group: CommitGroup(address, owner: owner, folding: folding), partitions: partitions)
        }

        func commit(_ batches: [StoreBatch]? = nil) throws {
            let batches = batches ?? scribe.takeAll()
            try oracle.commit(batches)
            try writer.commit(batches)
        }

        /// The keys that the store in memory remembers.
        var keys: Set<KeyRecord> { memory.content.withLock { $0.keys } }

        /// Compares everything that a writer can look up.
        func compare(_ writer: PostgresWriter) async throws {
            let store = try database.open()
            for partition in memory.partitions {
                #expect(writer.numbers(in: partition) == oracle.numbers(in: partition))
                #expect(
                    try writer.timers(in: partition, limit: 100) == oracle.timers(in: partition, limit: 100))
            }
            for machine in scribe.machines {
                #expect(try writer.machine(machine.id) == machine)
                #expect(try writer.machine(machine.key, version: machine.version) == machine)
                #expect(
                    try writer.machine(machine.key, version: nil) == oracle.machine(machine.key, version: nil))
            }
            for (name, instance) in scribe.instances {
                #expect(try writer.instance(instance.key) == instance)
                for row in scribe.history[name, default: []] {
                    #expect(try writer.row(at: row.position) == row)
                    guard let bytes = row.key else { continue }
                    let (key, scope) = (RequestKey(bytes: bytes), KeyScope.instance(instance.id))
                    #expect(try writer.position(of: key, in: scope) == oracle.position(of: key, in: scope))
                }
            }
            let ids = scribe.instances.values.map(\.id) + [InstanceID(rawValue: 999)]
            #expect(try writer.instances(ids) == oracle.instances(ids))
            for snapshot in scribe.snapshots {
                let (instance, seq) = (snapshot.instanceID, snapshot.seq.next)
                #expect(try await store.snapshot(of: instance, atOrBefore: seq) == snapshot)
            }
            let query = TallyQuery(limit: 1_000)
            #expect(try await store.tally(query, in: .default) == memory.tally(query, in: .default))
        }
    }

    private static func timer(_ due: Int64, of instance: InstanceRecord) -> TimerRecord {
        TimerRecord(
            key: TimerKey(due: Timestamp(rawValue: due), position: instance.head, ordinal: 0),
            instanceID: instance.id, event: "tick")
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1, 16])
    func whatIsWrittenIsWhatIsRead(partitions: Int) async throws {
        let pair = try Pair(partitions: partitions, folding: .init(rows: 3))
        let scribe = pair.scribe
        scribe.apply("order", source: "id: order\u{0}\n")
        for number in 0..<40 { scribe.start("order-\(number)", key: "start-\(number)") }
        try pair.commit()
        scribe.apply("order")
        scribe.apply("ship")
        scribe.start("ship-1", in: "a,b")
        for number in 0..<40 {
            let status = InstanceStatus.allCases[number % 5]
            scribe.send(
                "order-\(number)", "pay", data: number.isMultiple(of: 3) ? nil : #"{"text":"\u0000ü"}"#,
                to: "packing", status: status, failure: status == .failed ? "{}" : nil,
                actor: number.isMultiple(of: 2) ? "uid:1000(shop)" : nil,
                key: Array(repeating: UInt8(number), count: 16),
                real: number.isMultiple(of: 4) ? Timestamp(rawValue: 7) : nil)
        }
        try pair.commit()
        for _ in 0..<300 { scribe.send("order-0", to: "late") }
        try pair.commit()
        for _ in 0..<5 {
            scribe.send("order-1", to: "later")
            try pair.commit()
        }
        #expect(!scribe.snapshots.isEmpty)
        try await pair.compare(pair.writer)
        // Old rows of the log are folded and gone.
        #expect(try pair.database.run("SELECT count(*) FROM batch")[0] < 3 * Int64(partitions) + 3)
        // Another owner finds the same.
        let next = try Pair.writer(pair.database, owner: 2, pair.memory.partitions)
        try await pair.compare(next)
        #expect { try pair.writer.confirm() } throws: { ($0 as? StoreError)?.code == .fenced }
    }

    @Test func effectsAndSettingsAreWhatWasWritten() throws {
        let pair = try Pair()
        let (scribe, writer) = (pair.scribe, pair.writer)
        scribe.apply("order")
        scribe.start("order-1")
        var effects = [
            scribe.begin("order-1"), scribe.begin("order-1") { $0.priority = 1 },
            scribe.begin("order-1") { $0.number = nil },
        ]
        try pair.commit()
        func compareEffects() throws {
            for effect in effects { #expect(try writer.effect(effect.id) == pair.oracle.effect(effect.id)) }
        }
        try compareEffects()
        (effects[1].state, effects[1].lease, effects[1].worker) = (.leased, [1, 2], "a\u{0}\"b")
        (effects[1].progress, effects[1].error, effects[1].attempts) = ("{}", #"{"type":"timeout"}"#, 3)
        scribe.send("order-1")
        scribe.end(effects[0], of: "order-1")
        scribe.change(effects[1], of: "order-1")
        var batch = scribe.take()
        batch.attempts = (1...130).map { number in
            AttemptRecord(
                instanceID: effects[1].instanceID, effect: effects[1].id, name: number == 1 ? nil : "pack",
                attempt: number, begun: Timestamp(rawValue: 1), ended: Timestamp(rawValue: 2), outcome: "failed",
                error: number == 2 ? "{}" : nil)
        }
        batch.changedQueues = [
            QueueRecord(
                name: "task:pack", settings: QueueSettings(concurrency: 3, rate: 5, rateMilliseconds: 60_000),
                actor: "uid:0(root)", set: Timestamp(rawValue: 9))
        ]
        var setting = MachineSetting(of: scribe.machines[0].key)
        setting.active = 1
        setting.retention = 5_000
        setting.suspension = MachineSuspension(at: Timestamp(rawValue: 4), by: "me", reason: "why\u{0}")
        batch.changedSettings = [setting]
        batch.isHeld = true
        try pair.commit([batch])
        try compareEffects()
        for number in 1...130 as ClosedRange<Int64> {
            #expect(
                try writer.attempt(number, of: effects[1].id) == pair.oracle.attempt(number, of: effects[1].id))
        }
        #expect(try writer.queueRecords(after: nil, limit: 9) == batch.changedQueues)
        #expect(try writer.queueRecords(after: "task:pack", limit: 9) == [])
        #expect(try writer.machineSettings(after: nil, limit: 9) == [setting])
        #expect(try writer.machineSettings(after: setting.key, limit: 9) == [])
        #expect(try writer.isHeld())
        // The standard settings have no row.
        var standard = StoreBatch(numbers: batch.numbers)
        standard.changedQueues = [QueueRecord(name: "task:pack", settings: .standard, actor: nil, set: scribe.last)]
        standard.changedSettings = [MachineSetting(of: setting.key)]
        standard.isHeld = false
        try pair.commit([standard])
        #expect(try writer.queueRecords(after: nil, limit: 9) == [])
        #expect(try writer.machineSettings(after: nil, limit: 9) == [])
        #expect(try !writer.isHeld())
        #expect(try writer.lastChangeNumber() == nil)
        scribe.change(.token, of: "ci", number: 4, by: "me", reason: "r\u{0}")
        scribe.change(.suspend, of: "order")
        try pair.commit()
        #expect(try writer.lastChangeNumber() == 4)
        // An ended effect cannot end again.
        var again = StoreBatch(numbers: scribe.numbers)
        again.endedEffects = [effects[0].id]
        #expect { try writer.commit([again]) } throws: { ($0 as? StoreError)?.code == .constraint }
    }

    @Test(arguments: [1, 4]) func keysAreForgottenInTheirOrder(partitions: Int) async throws {
        let pair = try Pair(partitions: partitions)
        let scribe = pair.scribe
        scribe.apply("order")
        for number in 0..<12 { scribe.start("order-\(number)", key: "start-\(number)") }
        for number in 0..<12 { scribe.send("order-\(number)", key: Array(repeating: UInt8(number + 1), count: 16)) }
        var batches = scribe.takeAll()
        for place in batches.indices { batches[place].keys = Self.keys(of: batches[place], scribe) }
        try pair.commit(batches)
        for (oldest, count) in [(nil, 4), (nil, 4), (Timestamp(rawValue: 1_000), 100)] as [(Timestamp?, Int64)] {
            scribe.send("order-3", key: Array(repeating: UInt8(100 + scribe.last.rawValue % 100), count: 16))
            var batches = scribe.takeAll()
            let busy = Set(batches.map(\.numbers.partition))
            for partition in pair.memory.partitions where !busy.contains(partition) {
                batches.append(StoreBatch(numbers: scribe.numbers(in: partition)))
            }
            for place in batches.indices {
                batches[place].keys = Self.keys(of: batches[place], scribe)
                batches[place].retention = KeyRetention(
                    oldest: oldest, count: count, newest: Timestamp(rawValue: .max), rows: 5)
            }
            try pair.commit(batches)
            try await pair.compare(pair.writer)
            for key in pair.keys { #expect(try pair.writer.position(of: key.key, in: key.scope) == key.position) }
            #expect(try pair.database.run("SELECT count(*) FROM dedupe") == [Int64(pair.keys.count)])
        }
        #expect(pair.keys.count < 20)
    }

    /// Returns the keys of a batch's rows, in their scopes.
    private static func keys(of batch: StoreBatch, _ scribe: Scribe) -> [KeyRecord] {
        batch.journal.compactMap { row in
            guard let bytes = row.key else { return nil }
            let scope: KeyScope = row.kind == .started ? .machine(scribe.machines[0].id) : .instance(row.instanceID)
            return KeyRecord(key: RequestKey(bytes: bytes), scope: scope, position: row.position)
        }
    }

    @Test func timersComeInTheirOrder() async throws {
        let pair = try Pair()
        pair.scribe.apply("order")
        pair.scribe.start("order-1")
        let instance = try #require(pair.scribe.instances["order-1"])
        var first = pair.scribe.take()
        first.armedTimers = [500, 300, 400].map { Self.timer($0, of: instance) }
        try pair.commit([first])
        try await pair.compare(pair.writer)
        // One ends, one comes before those that were read, and one comes and ends in the same transaction.
        pair.scribe.send("order-1")
        var second = pair.scribe.take()
        second.endedTimers = [Self.timer(300, of: instance).key]
        second.armedTimers = [Self.timer(100, of: instance), Self.timer(600, of: instance)]
        second.base = first.numbers
        pair.scribe.send("order-1")
        var third = pair.scribe.take()
        third.endedTimers = [Self.timer(600, of: instance).key]
        third.base = second.numbers
        try pair.commit([second, third])
        try await pair.compare(pair.writer)
        #expect(try pair.writer.timers(in: .first, limit: 2).map(\.key.due.rawValue) == [100, 400])
    }

    @Test func aWrongBatchChangesNothing() async throws {
        let pair = try Pair()
        pair.scribe.apply("order")
        pair.scribe.start("order-1", key: "once")
        try pair.commit()
        let instance = try #require(pair.scribe.instances["order-1"])
        let numbers = pair.writer.numbers(in: .first)
        var wrong = Array(repeating: StoreBatch(numbers: numbers), count: 6)
        wrong[0].endedTimers = [Self.timer(5, of: instance).key]
        var missing = instance
        missing.id = InstanceID(rawValue: 77)
        wrong[1].changedInstances = [missing]
        wrong[2].machines = pair.scribe.machines
        wrong[3].base = StoreNumbers(
            nextPosition: Position(rawValue: 99), nextInstance: numbers.nextInstance,
            nextMachine: numbers.nextMachine, last: numbers.last)
        wrong[3].machines = pair.scribe.machines
        wrong[4].journal = pair.scribe.history["order-1"] ?? []
        var twice = instance
        twice.id = numbers.nextInstance
        wrong[5].newInstances = [twice]
        wrong[5].numbers.nextInstance = twice.id.next
        for (place, batch) in wrong.enumerated() {
            let error = #expect(throws: StoreError.self) { try pair.writer.commit([batch]) }
            #expect(error?.code == .constraint, "\(place): \(error?.message ?? "")")
            #expect(error?.message.contains("order-1") == false)
        }
        try await pair.compare(pair.writer)
        pair.scribe.send("order-1")
        try pair.commit()
        try await pair.compare(pair.writer)
    }

    /// An event changes no index of `instance`. Its row then stays in its page, unless the page has no room because
    /// another transaction of the server may still see earlier versions: here those of other tests.
    @Test(.timeLimit(.minutes(1))) func anEventUpdatesInPlace() async throws {
        let pair = try Pair()
        pair.scribe.apply("order")
        for number in 0..<20 { pair.scribe.start("order-\(number)") }
        try pair.commit()
        for number in 0..<200 {
            pair.scribe.send("order-\(number % 20)", to: "a")
            try pair.commit()
        }
        try pair.writer.close()
        var counts: [Int64] = []
        try await eventually("the server's counts of updates") {
            counts = try pair.database.run(
                """
                SELECT unnest(ARRAY[n_tup_upd, n_tup_hot_upd]) FROM pg_stat_user_tables WHERE relname = 'instance'
                """)
            return counts.first == 200
        }
        #expect(counts[1] > 50)
    }

    /// A value that no wfd writes is damage, and never a trap.
    @Test func aForgedValueIsDamage() throws {
        let pair = try Pair()
        pair.scribe.apply("order")
        pair.scribe.start("order-1")
        let instance = try #require(pair.scribe.instances["order-1"])
        var batch = pair.scribe.take()
        batch.armedTimers = [Self.timer(5, of: instance)]
        try pair.commit([batch])
        let constraints = ["machine_version_check", "instance_status_check", "instance_seq_check"]
        for name in constraints {
            try pair.database.run("ALTER TABLE \(name.prefix { $0 != "_" }) DROP CONSTRAINT \(name)")
        }
        for trigger in ["machine", "journal"] { try pair.database.run("ALTER TABLE \(trigger) DISABLE TRIGGER ALL") }
        let forged: [(String, String, String)] = [
            ("machine", "version", "0"), ("machine", "source", "'\\xff'"), ("machine", "name", "E'a\\nb'"),
            ("machine", "created_ms", "-1"), ("machine", "semantics", "9223372036854775807"),
            ("instance", "seq", "-9223372036854775808"), ("instance", "head", "0"), ("instance", "status", "'odd'"),
            ("instance", "machine_id", "0"), ("instance", "entered_ms", "253402300800000"),
            ("journal", "at_ms", "-5"), ("journal", "salt", "''"), ("journal", "instance_id", "1::bigint << 60"),
            ("timer", "ordinal", "-1"), ("timer", "instance_id", "-1"),
        ]
        for (table, column, value) in forged {
            try pair.database.run("CREATE TABLE kept AS SELECT * FROM \(table)")
            try pair.database.run("UPDATE \(table) SET \(column) = \(value)")
            let error = #expect(throws: StoreError.self) {
                switch table {
                case "machine": _ = try pair.writer.machine(MachineID(rawValue: 1))
                case "instance": _ = try pair.writer.instances([instance.id])
                case "journal": _ = try pair.writer.row(at: instance.head)
                default: _ = try pair.writer.timers(in: .first, limit: 1)
                }
            }
            #expect(error?.code == .corrupt, "\(table).\(column)")
            #expect(error?.message.contains("'\(column)'") == true)
            try pair.database.run("DELETE FROM \(table)")
            try pair.database.run("INSERT INTO \(table) SELECT * FROM kept")
            try pair.database.run("DROP TABLE kept")
        }
        #expect(try pair.writer.instance(instance.key) == instance)
    }
}
