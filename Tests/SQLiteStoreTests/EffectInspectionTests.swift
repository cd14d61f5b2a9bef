import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests the comparison of instances' pending items with the table of effects, both ways.
@Suite struct EffectInspectionTests {
    /// Writes rows with these positions: 1 and 2 `alpha`, its effects 3 and 4 (a call), 5 and 6 `beta`, 7 its effect, 8
    /// `gamma`.
    private func write(_ directory: TemporaryDirectory) throws {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        var attempts: [AttemptRecord] = []
        for name in ["alpha", "beta"] {
            scribe.start(name)
            scribe.send(name)
            let effect = scribe.begin(name)
            attempts.append(
                AttemptRecord(
                    instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: 1,
                    begun: effect.due, ended: effect.due, outcome: "timeout"))
            if name == "alpha" { scribe.begin(name) { $0.number = nil } }
        }
        scribe.start("gamma")
        var batch = scribe.take()
        batch.attempts = attempts
        try writer.commit(batch)
        try writer.close()
    }

    /// Returns all findings in a file, and the numbers of effects that were compared from either side.
    private func findings(
        _ directory: TemporaryDirectory, _ limits: StoreLimits = StoreLimits()
    ) async throws -> (messages: [String], waiting: Int, rows: Int, attempts: Int) {
        let file = try SQLiteFile.open(at: directory.store, limits: limits)
        var found = try await file.inspectStore().inconsistencies
        var (waiting, rows, attempts) = (0, 0, 0)
        var next: Int64 = 1
        while next < .max {
            let slice = try await file.inspectInstances(in: next...Int64.max)
            for instance in slice.instances {
                guard let what = instance.inconsistency else { continue }
                found.append(Inconsistency(instance: instance.record.id, name: instance.record.name, what))
            }
            waiting += slice.effects
            next = slice.through == .max ? .max : slice.through + 1
        }
        var place: InspectionPlace? = .start
        while let here = place {
            let slice = try await file.inspectCopies(after: here)
            found += slice.inconsistencies
            rows += slice.effects
            attempts += slice.attempts
            place = slice.next
        }
        place = .start
        while let here = place {
            let slice = try await file.inspectIndexes(after: here)
            found += slice.inconsistencies
            place = slice.next
        }
        try file.close()
        return (found.map(\.message), waiting, rows, attempts)
    }

    @Test(arguments: [1, 2_000])
    func aWholeFileHasNone(sliceRows: Int) async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        var limits = StoreLimits()
        limits.sliceRows = sliceRows
        let found = try await findings(directory, limits)
        #expect(found == ([], 2, 3, 2))
    }

    private static let missing = "its invocation 'pack-1' is not in the table of effects"
    private static let unwanted = "there is an effect 'pack-1' that it does not wait for"
    private static let misplaced = "its effect 'pack-1' does not stand behind the row that began it"

    @Test(arguments: [
        ("DELETE FROM effect WHERE id = 3", [missing]),
        ("UPDATE effect SET seq = 1 WHERE id = 3", [missing, misplaced]),
        ("UPDATE effect SET number = 2 WHERE id = 3", [missing, unwanted]),
        ("UPDATE effect SET number = NULL WHERE id = 3", [missing]),
        (
            "UPDATE effect SET name = 'pay' WHERE id = 3",
            [missing, "there is an effect 'pay' that it does not wait for"]
        ),
        (
            "UPDATE effect SET instance_id = 99 WHERE id = 3",
            [
                missing, "an effect belongs to an instance 99 that is not there",
                "there is an attempt at an effect that it never had",
            ]
        ),
        (
            "UPDATE effect SET instance_id = 3, seq = 1, id = 9 WHERE id = 3",
            ["the store's next position 9 is not above it", missing, unwanted]
        ),
        (
            "UPDATE effect SET id = 2 WHERE id = 3",
            [missing, "an effect has the position of a row"]
        ),
        ("UPDATE effect SET number = 2 WHERE id = 4", ["there is an effect 'pack-2' that it does not wait for"]),
        ("UPDATE effect SET seq = 1 WHERE id = 4", ["its effect 'pack-2' does not stand behind the row that began it"]),
        (
            "UPDATE effect SET due_ms = -1 WHERE id = 3",
            [
                "its effect cannot be read: the column 'due_ms' of its table 'effect' holds -1, which no wfd writes"
            ]
        ),
        ("UPDATE instance SET armed = '[]' WHERE name = 'alpha'", [unwanted]),
        ("UPDATE instance SET armed = '[{' WHERE name = 'alpha'", ["its list of timers cannot be read"]),
        (
            "UPDATE instance SET armed = '[{' WHERE name = 'alpha'; UPDATE instance SET status = 'failed'",
            ["its list of invocations cannot be read"]
        ),
        (
            "UPDATE instance SET armed = replace(armed, '\"invoke\"', '\"in\"') WHERE name = 'alpha'",
            ["its list of invocations cannot be read"]
        ),
        ("UPDATE instance SET status = 'failed'", []),
        ("UPDATE instance SET status = 'done' WHERE name = 'alpha'", [unwanted]),
        ("UPDATE instance SET status = 'cancelled' WHERE name = 'alpha'", [unwanted]),
        ("UPDATE instance SET status = 'failed'; DELETE FROM effect WHERE id = 3", [missing]),
        // The effect that an instance failed on is over.
        (
            "UPDATE instance SET status = 'failed', armed = replace(armed, '{\"in', '{\"kept\":true,\"in')",
            []
        ),
        (
            """
            UPDATE instance SET status = 'failed', armed = replace(armed, '{\"in', '{\"kept\":true,\"in');
            DELETE FROM effect WHERE id = 3
            """, []
        ),
        (
            "UPDATE attempt SET instance_id = 99 WHERE effect = 3",
            ["an attempt belongs to an instance 99 that is not there"]
        ),
        (
            "UPDATE attempt SET instance_id = 2 WHERE effect = 3",
            ["there is an attempt at an effect that it never had"]
        ),
        ("UPDATE attempt SET effect = 9 WHERE effect = 3", ["there is an attempt at an effect that it never had"]),
        // An attempt at an effect that has ended.
        ("UPDATE attempt SET effect = 1 WHERE effect = 3", []),
    ])
    func whatDoesNotFitIsFound(sql: String, findings: [String]) async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).execute(sql)
        #expect(try await self.findings(directory).messages == findings)
    }

    /// A worker that asks a queue for tasks would miss an effect, or find one that does not exist.
    @Test(arguments: [
        (
            "UPDATE effect SET queue = 'task:other' WHERE id = 3",
            [
                "row 3 of 'effect': the index 'effect_queue' leads to it by what it does not have",
                "row 3 of 'effect': the index 'effect_queue' does not lead to it",
            ]
        ),
        (
            "UPDATE effect SET state = 'held' WHERE id = 3",
            [
                "row 3 of 'effect': the index 'effect_queue' leads to it by what it does not have",
                "row 3 of 'effect': the index 'effect_queue' does not lead to it",
            ]
        ),
        (
            "DELETE FROM effect WHERE id = 4",
            ["row 4 of 'effect': the index 'effect_queue' leads to it by what it does not have"]
        ),
    ])
    func aWrongIndexIsFound(sql: String, findings: [String]) async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).execute(sql, behind: "effect_queue")
        #expect(try await self.findings(directory).messages == findings)
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let error = #expect(throws: StoreError.self) {
            _ = try writer.readyEffects(in: .first, queue: "task:pack", due: Timestamp(rawValue: .max), limit: 10) {
                _ in false
            }
        }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the index of effects leads to a row that does not have it") == true)
        // Closing reports the same damage again.
        #expect(throws: StoreError.self) { try writer.close() }
    }

    /// The file of a release is compared before it is upgraded, too.
    @Test func aFileOfTheFirstSchemaIsReadAndBroughtUpToDate() async throws {
        let directory = try TemporaryDirectory()
        let now = Timestamp(rawValue: 1_700_000_000_000)
        let old = try SQLiteFileStore.open(
            at: directory.store, clock: now, limits: StoreLimits(), migrations: [Migrations.all[0]])
        #expect(try old.pragma("user_version") == "1")
        try old.writer().close()
        let file = try SQLiteFile.open(at: directory.store)
        #expect(try await file.effects([Position(rawValue: 1)]) == [])
        #expect(try await file.effects(EffectQuery(limit: 10)) == EffectPage(effects: [], next: nil))
        let attempts = try await file.attempts(of: Position(rawValue: 1), instance: InstanceID(rawValue: 1))
        #expect(attempts == [])
        try file.close()
        #expect(try await findings(directory) == ([], 0, 0, 0))
        #expect(try RawFile(directory).value("SELECT user_version FROM pragma_user_version") == "1")
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(store.recovered.openedVersion == 1 && store.recovered.schemaVersion == Migrations.all.count)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        let effect = scribe.begin("order-1")
        try scribe.commit(writer)
        #expect(try writer.effect(effect.id) == effect)
        try writer.close()
        #expect(try await findings(directory) == ([], 1, 1, 0))
    }

    /// The position of an effect would be assigned again.
    @Test func aFileWhoseNextPositionIsThatOfAnEffectIsRefused() throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).execute("UPDATE effect SET id = 9 WHERE id = 3")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': the column 'next_position' of its table 'store' is 9, but "
                + "'effect' has 9; restore a backup")
    }
}
