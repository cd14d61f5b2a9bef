import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests the comparison of the tally with the instances.
@Suite struct TallyInspectionTests {
    private func write(_ directory: TemporaryDirectory, _ migrations: [Migration] = Migrations.all) throws {
        let store = try SQLiteFileStore.open(
            at: directory.store, clock: Timestamp(rawValue: 1_700_000_000_000), limits: StoreLimits(),
            migrations: migrations)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for name in ["a", "b", "c"] { scribe.start(name) }
        scribe.send("b", to: "busy")
        scribe.send("c", to: "busy", status: .failed, failure: "{}")
        var batch = scribe.take()
        // A daemon of an earlier schema counted nothing.
        if migrations.count < 3 { batch.tally = [:] }
        try writer.commit(batch)
        try writer.close()
    }

    private func miscount(_ directory: TemporaryDirectory, sliceRows: Int = 2_000) async throws -> String? {
        var limits = StoreLimits()
        limits.sliceRows = sliceRows
        let file = try SQLiteFile.open(at: directory.store, limits: limits)
        let (miscount, inconsistencies) = try await miscount(file)
        try file.close()
        #expect(inconsistencies == [])
        return miscount?.message
    }

    private func miscount(
        _ file: some SQLiteReading, between: () throws -> Void = {}
    ) async throws -> (Inconsistency?, [Inconsistency]) {
        var place: InspectionPlace? = .start
        var found: [Inconsistency] = []
        var miscount: Inconsistency?
        while let here = place {
            let slice = try await file.inspectCopies(after: here)
            try between()
            found += slice.inconsistencies
            #expect(miscount == nil)
            miscount = slice.miscount ?? miscount
            place = slice.next
        }
        return (miscount, found)
    }

    @Test(arguments: [1, 2, 2_000]) func aTrueTallyIsBelieved(sliceRows: Int) async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        #expect(try await miscount(directory, sliceRows: sliceRows) == nil)
        #expect(try RawFile(directory).value("SELECT count(*) FROM tally") == "3")
    }

    @Test(arguments: [
        "UPDATE tally SET n = n + 1 WHERE state = 'idle'", "DELETE FROM tally WHERE status = 'failed'",
        "INSERT INTO tally VALUES (1, 'done', 'busy', 1)", "UPDATE tally SET state = 'bus' WHERE status = 'failed'",
        "UPDATE instance SET configuration = 'idle' WHERE name = 'b'",
    ])
    func aWrongTallyIsFound(sql: String) async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).execute(sql)
        for rows in [1, 2_000] {
            #expect(
                try await miscount(directory, sliceRows: rows)
                    == "the table 'tally' does not say how many instances are in which state")
        }
    }

    /// A row that is counted before it changes does not agree with a count that is read afterwards.
    @Test func whatADaemonWritesMeanwhileIsNoDifference() async throws {
        let directory = try TemporaryDirectory()
        var limits = StoreLimits()
        limits.sliceRows = 1
        let store = try SQLiteFileStore.open(
            at: directory.store, clock: Timestamp(rawValue: 1_700_000_000_000), limits: limits,
            migrations: Migrations.all)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for name in ["a", "b", "c"] { scribe.start(name) }
        try scribe.commit(writer)
        var turn = 0
        let (miscount, found) = try await miscount(store) {
            turn += 1
            scribe.send("a", to: "s\(turn)")
            try scribe.commit(writer)
        }
        #expect(turn > 5 && miscount == nil && found == [])
        // When nothing is written, the tally is compared.
        try RawFile(directory).execute("UPDATE tally SET n = 7 WHERE state = 'idle'")
        #expect(try await self.miscount(store).0 != nil)
        try writer.close()
    }

    @Test func aFileOfAnEarlierSchemaIsCounted() async throws {
        let directory = try TemporaryDirectory()
        try write(directory, Array(Migrations.all.prefix(2)))
        #expect(try await miscount(directory) == nil)
        try SQLiteFileStore.sqlite(directory).writer().close()
        let rows =
            "SELECT group_concat(status || ' ' || state || ' ' || n, ', ') FROM (SELECT * FROM tally ORDER BY 2, 3)"
        #expect(try RawFile(directory).value(rows) == "failed busy 1, running busy 1, running idle 1")
        #expect(try await miscount(directory) == nil)
    }

    @Test func aCountThatBecomesNoughtIsNoRow() throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let scribe = Scribe(writer)
        scribe.apply("other")
        scribe.start("x")
        try scribe.commit(writer)
        scribe.send("x", to: "busy")
        try scribe.commit(writer)
        try writer.close()
        #expect(try RawFile(directory).value("SELECT count(*) FROM tally WHERE machine_id = 2") == "1")
        #expect(try RawFile(directory).value("SELECT state || n FROM tally WHERE machine_id = 2") == "busy1")
    }
}
