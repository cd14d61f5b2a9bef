import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests the comparison of runs and erasures with the rows that they refer to.
@Suite struct OperatorInspectionTests {
    private func findings(_ directory: TemporaryDirectory) async throws -> [String] {
        var limits = StoreLimits()
        limits.sliceRows = 1
        let file = try SQLiteFile.open(at: directory.store, limits: limits)
        var place: InspectionPlace? = .start
        var found: [String] = []
        while let here = place {
            let slice = try await file.inspectCopies(after: here)
            found += slice.inconsistencies.map(\.message)
            place = slice.next
        }
        try file.close()
        return found
    }

    private func written() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for name in ["a", "b"] { scribe.start(name) }
        try writer.commit(scribe.take())
        try writer.close()
        return directory
    }

    @Test func aRunCanBeReadAndHasAllItsNames() async throws {
        let directory = try written()
        let file = RawFile(directory)
        for run in ["one", "two"] {
            try file.execute(
                """
                INSERT INTO bulk (namespace_id, name, partition, request, state, generation, floor, mark_machine, mark,
                    selected, outcome, begun_ms, updated_ms)
                VALUES (1, '\(run)', 0, '{}', 'running', 1, 1, 0, 0, 1000, '{}', 1, 1)
                """)
            for piece in 0..<3 {
                try file.execute("INSERT INTO bulk_names VALUES (1, '\(run)', 0, \(piece), 'a')")
            }
        }
        #expect(try await findings(directory) == [])
        try file.execute("UPDATE bulk SET outcome = '{' WHERE name = 'one'")
        try file.execute("DELETE FROM bulk_names WHERE name = 'one' AND piece = 1")
        try file.execute("DELETE FROM bulk WHERE name = 'two'")
        #expect(
            try await findings(directory) == [
                "the run 'one' cannot be read", "names of the run 'one' are missing before piece 2",
            ]
                + Array(repeating: "there are names for the run 'two', which is not there", count: 3))
    }

    @Test func anErasureHasItsRowAndSaysHowFarItIs() async throws {
        let directory = try written()
        let file = RawFile(directory)
        let columns = "id, instance_id, uuid, seqs, at_ms"
        // The inspection does not carry out erasures that a restore has ordered.
        try file.execute(
            "INSERT INTO erasure (\(columns)) SELECT -1, id, uuid, '1', 1 FROM instance WHERE name = 'a'")
        #expect(try await findings(directory) == [])
        try file.execute(
            "INSERT INTO erasure (\(columns)) SELECT head, id, uuid, '1', 1 FROM instance WHERE name = 'a'")
        #expect(try await findings(directory) == ["there is an erasure without its row"])
        try file.execute("UPDATE erasure SET uuid = zeroblob(16)")
        #expect(
            try await findings(directory)
                == Array(repeating: "an erasure names the instance by another UUID", count: 2))
        try file.execute("UPDATE erasure SET instance_id = 77")
        #expect(
            try await findings(directory)
                == ["there is an erasure of an instance 77 that is not there and was not deleted"])
    }
}
