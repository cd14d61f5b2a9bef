import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

@Suite struct TailCheckTests {
    /// Writes one instance with a snapshot in the row at seq 256 and its last row at seq 258, and a second instance.
    private func write(_ directory: TemporaryDirectory) throws {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.apply("refund")
        scribe.start("order-1")
        for _ in 2...257 { scribe.send("order-1", actor: "uid:7", key: [1, 2, 3], real: Timestamp(rawValue: 5)) }
        scribe.start("order-2", scribe.machines[0])
        scribe.send("order-1", actor: "uid:7", key: [1, 2, 3], real: Timestamp(rawValue: 5))
        scribe.send("order-2", data: nil)
        try scribe.commit(writer)
        try writer.close()
    }

    private func damage(of directory: TemporaryDirectory, _ limits: StoreLimits = StoreLimits()) -> StoreError? {
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory, limits) }
        #expect(error?.code == .damaged)
        return error
    }

    @Test(arguments: [
        "at_ms = at_ms + 1", "real_ms = NULL", "kind = 'timer'", "event = 'goo'", #"data = '{"card":"tok_8"}'"#,
        "data = NULL", "from_state = 'x'", "to_state = 'x'", "actor = 'uid:8'", "actor = NULL", "key = x'010204'",
        "machine_id = 1", "digest = zeroblob(32)", "seq = 99", "previous = 98", "previous = NULL", "instance_id = 2",
        "instance_id = 99", "machine_id = 99",
    ])
    func changedColumnOfARowIsFound(change: String) throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).forge("journal", "UPDATE journal SET \(change) WHERE position = 100")
        _ = damage(of: directory)
    }

    @Test func theRowIsNamedAndItsDataIsNot() throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).forge("journal", #"UPDATE journal SET data = '{"card":"x"}' WHERE position = 100"#)
        #expect(
            damage(of: directory)?.message
                == "Cannot open '\(directory.store)': the row at seq 100 of 'order-1' is not what was written; "
                + "restore a backup")
    }

    @Test(arguments: [
        ("instance", "UPDATE instance SET head = head - 1 WHERE id = 1"),
        ("instance", "UPDATE instance SET seq = seq + 1 WHERE id = 1"),
        ("instance", "UPDATE instance SET digest = zeroblob(32) WHERE id = 2"),
        ("instance", "UPDATE instance SET configuration = 'other' WHERE id = 2"),
        ("instance", "UPDATE instance SET machine_id = 1 WHERE id = 1"),
        ("instance", "UPDATE instance SET uuid = zeroblob(16) WHERE id = 1"),
        ("instance", "DELETE FROM instance WHERE id = 2"),
        ("journal", "DELETE FROM journal WHERE position = 100"),
        ("journal", "DELETE FROM journal WHERE position = (SELECT max(position) FROM journal)"),
        ("snapshot", "UPDATE snapshot SET context = '{}'"),
        ("snapshot", "UPDATE snapshot SET digest = zeroblob(32)"),
        ("snapshot", "UPDATE snapshot SET position = position - 1"),
        ("snapshot", "DELETE FROM snapshot"),
        ("machine", "UPDATE machine SET digest = zeroblob(32)"),
        ("machine", "UPDATE machine SET semantics = 2"),
        ("store", "UPDATE store SET next_position = next_position - 1"),
        ("store", "UPDATE store SET next_instance = next_instance - 1"),
        ("store", "DELETE FROM store"),
    ])
    func changeElsewhereIsFound(table: String, sql: String) throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).forge(table, sql)
        _ = damage(of: directory)
    }

    @Test func onlyTheTailIsChecked() throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).forge("journal", "UPDATE journal SET event = 'x' WHERE position = 100")
        var limits = StoreLimits()
        limits.tailRows = 50
        let store = try SQLiteFileStore.sqlite(directory, limits)
        #expect(store.recovered.rowsChecked == 50)
        try store.writer().close()
    }

    @Test func whatWasWrittenPasses() throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(store.recovered.rowsChecked == 260)
        try store.writer().close()
    }

    /// Above the snapshot at seq 256 the chain is broken: a page below it can be read all the same, one above it
    /// cannot.
    @Test func pageIsFoundFromTheNearestSnapshot() async throws {
        let directory = try TemporaryDirectory()
        try write(directory)
        try RawFile(directory).forge("journal", "UPDATE journal SET previous = NULL WHERE position = 257")
        var limits = StoreLimits()
        limits.tailRows = 1
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let instance = try #require(try writer.instance(named: "order-1"))
        var query = StoreSuite.whole(instance)
        query.seqs = 150...250
        #expect(try await store.history(query).count == 101)
        query.seqs = 150...257
        let error = await #expect(throws: StoreError.self) { _ = try await store.history(query) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "Cannot read '\(directory.store)': the history has no row at seq 256 (SQLite 11)")
        try writer.close()
    }
}
