import Foundation
import SQLiteStore
import Statechart
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests a clock that was ahead while rows were written, and is set back.
@Suite struct ClockTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    private static let tomorrow = Timestamp(rawValue: now.rawValue + 86_400_000)

    /// Returns a store with rows from tomorrow.
    private func store(in directory: TemporaryDirectory, keys: [RequestKey] = []) throws -> (SQLiteFileStore, Scribe) {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        var numbers = writer.numbers
        numbers.last = Self.tomorrow
        try writer.commit(StoreBatch(numbers: numbers))
        let scribe = Scribe(writer)
        scribe.apply("order")
        for name in ["a", "b", "c", "d"] { scribe.start(name) }
        scribe.send("b", status: .done)
        for key in keys { scribe.send("a", key: key.bytes) }
        var batch = scribe.take()
        batch.keys = batch.journal.compactMap { row in
            row.key.map {
                KeyRecord(key: RequestKey(bytes: $0), scope: .instance(row.instanceID), position: row.position)
            }
        }
        try writer.commit(batch)
        return (store, scribe)
    }

    private func open(_ directory: TemporaryDirectory, notAfter latest: Timestamp? = nil) throws -> SQLiteFileStore {
        try SQLiteFileStore.open(at: directory.store, clock: Self.now, notAfter: latest)
    }

    @Test func anAcceptedClockLowersTheHighestTimeForGood() throws {
        let directory = try TemporaryDirectory()
        let (_, scribe) = try store(in: directory)
        #expect(scribe.writer.numbers.last > Self.tomorrow)
        let accepted = try scribe.writer.acceptClock(Self.now, by: nil)
        #expect(accepted == AcceptedClock(ahead: 3, names: ["a", "c", "d"]))
        #expect(scribe.writer.numbers.last == Self.now)
        try scribe.writer.close()
        let again = try open(directory, notAfter: Self.now)
        let againWriter = try again.writer()
        #expect(againWriter.numbers.last == Self.now)
        #expect(again.recovered.wasClean)
        try againWriter.close()
    }

    @Test func whoLostTheStoreAcceptsNothing() throws {
        let directory = try TemporaryDirectory()
        let (_, scribe) = try store(in: directory)
        try RawFile(directory).execute("UPDATE store SET epoch = epoch + 1")
        let error = #expect(throws: StoreError.self) { _ = try scribe.writer.acceptClock(Self.now, by: nil) }
        #expect(error?.code == .fenced)
        #expect(try RawFile(directory).value("SELECT last_ms > \(Self.tomorrow.rawValue) FROM store") == "1")
    }

    @Test(arguments: [false, true])
    func aStoreOfALaterTimeIsRefusedUntouched(isKilled: Bool) throws {
        let written = try TemporaryDirectory()
        let (_, scribe) = try store(in: written)
        let crashed = try written.copyAfterCrash()
        try scribe.writer.close()
        let directory = isKilled ? crashed : written
        let before = try directory.contents()
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) { _ = try self.open(directory, notAfter: Self.now) }
            #expect(error?.code == .clockBehind)
            #expect(
                error?.message
                    == "Cannot open '\(directory.store)': its last event is of "
                    + "2023-11-15T22:13:20.006Z, but this machine's clock says 2023-11-14T22:13:20.000Z"
                    + "; set the clock, or accept it with 'wfd clock accept'")
        }
        let after = try directory.contents()
        #expect(after["store.db"] == before["store.db"])
        #expect(after["store.db-wal"] == before["store.db-wal"])
        try self.open(directory, notAfter: scribe.writer.numbers.last).writer().close()
    }

    /// An earlier key counts as used when the clock was accepted: from then on it is remembered as long as any other.
    @Test func keysOfAClockThatWasAheadAreForgottenInTime() throws {
        let directory = try TemporaryDirectory()
        let key = try #require(RequestKey(text: "one"))
        let (_, scribe) = try store(in: directory, keys: [key])
        _ = try scribe.writer.acceptClock(Self.now, by: nil)
        let scope = KeyScope.instance(try #require(scribe.instances["a"]).id)
        for (oldest, isRemembered) in [(Self.now.rawValue, true), (Self.now.rawValue + 1, false)] {
            let rows = try scribe.resumed(scribe.writer)
            rows.send("c")
            var batch = rows.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: oldest), count: 100, newest: Timestamp(rawValue: .max), rows: 100)
            try scribe.writer.commit(batch)
            #expect(try scribe.writer.position(of: key, in: scope) != nil || !isRemembered)
            #expect(try scribe.writer.position(of: key, in: scope) == nil || isRemembered)
        }
        try scribe.writer.close()
    }

    /// Otherwise every fresh key with a time in it would be taken for an old one until tomorrow.
    @Test func aForgottenKeyOfTomorrowMakesNoFreshOneOld() throws {
        let directory = try TemporaryDirectory()
        var random = SystemRandomNumberGenerator()
        let key = RequestKey(bytes: UniqueID(at: Self.tomorrow, random: &random).bytes)
        let (_, scribe) = try store(in: directory, keys: [key])
        scribe.send("c")
        var batch = scribe.take()
        batch.retention = KeyRetention(
            oldest: Timestamp(rawValue: .max), count: 0, newest: Timestamp(rawValue: .max), rows: 100)
        try scribe.writer.commit(batch)
        #expect(try scribe.writer.forgottenKeys() == Self.tomorrow)
        _ = try scribe.writer.acceptClock(Self.now, by: nil)
        #expect(try scribe.writer.forgottenKeys() == Self.now)
        try scribe.writer.close()
        let again = try open(directory)
        let againWriter = try again.writer()
        #expect(try againWriter.forgottenKeys() == Self.now)
        try againWriter.close()
    }
}
