import SQLiteStore
import Statechart
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests the facts about keys and the clock that the file itself keeps.
@Suite struct KeyFileTests {
    @Test func whatWasForgottenStaysSoOverARestart() throws {
        let directory = try TemporaryDirectory()
        var store = try SQLiteFileStore.sqlite(directory)
        var writer = try store.writer()
        let ledger = try StoreSuite.written(writer, keys: 10)
        try StoreSuite.forget(writer, ledger, count: 6, rows: 100)
        let forgotten = try writer.forgottenKeys()
        #expect(forgotten == ledger.times[3])
        try writer.close()
        let file = RawFile(directory)
        #expect(try file.value("SELECT dedupe_count FROM store") == "6")
        #expect(try file.value("SELECT count(*) FROM dedupe") == "6")
        let floor = try #require(try file.value("SELECT dedupe_floor FROM store"))
        #expect(try file.value("SELECT min(position) FROM dedupe") == floor)

        store = try SQLiteFileStore.sqlite(directory)
        writer = try store.writer()
        #expect(try writer.forgottenKeys() == forgotten)
        #expect(try StoreSuite.remembered(ledger, writer) == Array(4..<10))
        // Forgetting goes on from where it stopped, with the count that it had.
        let again = try ledger.at(writer)
        try StoreSuite.forget(writer, again, count: 6, rows: 100)
        #expect(try StoreSuite.remembered(ledger, writer) == Array(4..<10))
        try StoreSuite.forget(writer, again, count: 5, rows: 100)
        #expect(try StoreSuite.remembered(ledger, writer) == Array(5..<10))
        try writer.close()
    }

    @Test(arguments: [(StoreClock.real, StoreClock.virtual), (.virtual, .real)])
    func aFileOfAnotherClockIsRefusedUntouched(own: StoreClock, other: StoreClock) throws {
        let directory = try TemporaryDirectory()
        let now = Timestamp(rawValue: 1_700_000_000_000)
        try SQLiteFileStore.open(at: directory.store, clock: now, on: own).writer().close()
        let before = try directory.contents()
        let why =
            own == .real
            ? "its events have real times, and would be mixed with made-up ones; make a copy for it with "
                + "'wfctl backup' and 'wfd restore --clock virtual'"
            : "its events have times of a virtual clock; serve it with '--clock virtual'"
        // The file is opened for writing, and for reading what a write would do.
        for open in [
            { _ = try SQLiteFileStore.open(at: directory.store, clock: now, on: other) },
            { _ = try SQLiteFile.open(at: directory.store, on: other) },
        ] as [() throws -> Void] {
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.code == .otherClock)
            #expect(error?.message == "Cannot open '\(directory.store)' on the \(other) clock: \(why)")
        }
        #expect(try directory.contents()["store.db"] == before["store.db"])
        for clock in [own, nil] { try SQLiteFile.open(at: directory.store, on: clock).close() }
        try SQLiteFileStore.open(at: directory.store, clock: now, on: own).writer().close()
    }
}
