import Foundation
import SQLiteStore
import Statechart
import Testing
import WorkflowStore

/// A clock that was ahead while rows were written, and is taken back.
@Suite struct ClockTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    private static let tomorrow = Timestamp(rawValue: now.rawValue + 86_400_000)

    /// A store with rows from tomorrow.
    private func store(in directory: TemporaryDirectory, keys: [RequestKey] = []) throws -> (SQLiteFileStore, Scribe) {
        let store = try SQLiteFileStore.sqlite(directory)
        var numbers = store.writer.numbers
        numbers.last = Self.tomorrow
        try store.writer.commit(StoreBatch(numbers: numbers))
        let scribe = Scribe(store.writer)
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
        try store.writer.commit(batch)
        return (store, scribe)
    }

    private func open(_ directory: TemporaryDirectory, notAfter latest: Timestamp? = nil) throws -> SQLiteFileStore {
        try SQLiteFileStore.open(at: directory.store, clock: Self.now, notAfter: latest)
    }

    @Test func anAcceptedClockLowersTheHighestTimeForGood() throws {
        let directory = try TemporaryDirectory()
        let (store, _) = try store(in: directory)
        #expect(store.writer.numbers.last > Self.tomorrow)
        let accepted = try store.writer.acceptClock(Self.now)
        #expect(accepted == AcceptedClock(ahead: 3, names: ["a", "c", "d"]))
        #expect(store.writer.numbers.last == Self.now)
        try store.writer.close()
        let again = try open(directory, notAfter: Self.now)
        #expect(again.writer.numbers.last == Self.now)
        #expect(again.recovered.wasClean)
        try again.writer.close()
    }

    @Test func whoLostTheStoreAcceptsNothing() throws {
        let directory = try TemporaryDirectory()
        let (store, _) = try store(in: directory)
        try RawFile(directory).execute("UPDATE store SET epoch = epoch + 1")
        let error = #expect(throws: StoreError.self) { _ = try store.writer.acceptClock(Self.now) }
        #expect(error?.code == .fenced)
        #expect(try RawFile(directory).value("SELECT last_ms > \(Self.tomorrow.rawValue) FROM store") == "1")
    }

    @Test(arguments: [false, true])
    func aStoreOfALaterTimeIsRefusedUntouched(isKilled: Bool) throws {
        let written = try TemporaryDirectory()
        let (store, _) = try store(in: written)
        let crashed = try written.copyAfterCrash()
        try store.writer.close()
        let directory = isKilled ? crashed : written
        let before = try directory.contents()
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) { _ = try self.open(directory, notAfter: Self.now) }
            #expect(error?.code == .clockBehind)
            #expect(
                error?.message
                    == "Cannot open '\(directory.store)': its last event is 1440 minutes ahead of this machine's clock"
                    + "; set the clock, or accept it with 'wfd clock accept'")
        }
        let after = try directory.contents()
        #expect(after["store.db"] == before["store.db"])
        #expect(after["store.db-wal"] == before["store.db-wal"])
        try self.open(directory, notAfter: store.writer.numbers.last).writer.close()
    }

    /// A key of before counts as used when the clock was accepted: it is remembered as long as any other from then on.
    @Test func keysOfAClockThatWasAheadAreForgottenInTime() throws {
        let directory = try TemporaryDirectory()
        let key = try #require(RequestKey(text: "one"))
        let (store, scribe) = try store(in: directory, keys: [key])
        _ = try store.writer.acceptClock(Self.now)
        let scope = KeyScope.instance(try #require(scribe.instances["a"]).id)
        for (oldest, isRemembered) in [(Self.now.rawValue, true), (Self.now.rawValue + 1, false)] {
            let rows = scribe.resumed(store.writer)
            rows.send("c")
            var batch = rows.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: oldest), count: 100, newest: Timestamp(rawValue: .max), rows: 100)
            try store.writer.commit(batch)
            #expect(try store.writer.position(of: key, in: scope) != nil || !isRemembered)
            #expect(try store.writer.position(of: key, in: scope) == nil || isRemembered)
        }
        try store.writer.close()
    }

    /// Else every fresh key that says its time would be taken for an old one until tomorrow.
    @Test func aForgottenKeyOfTomorrowMakesNoFreshOneOld() throws {
        let directory = try TemporaryDirectory()
        var random = SystemRandomNumberGenerator()
        let key = RequestKey(bytes: UniqueID(at: Self.tomorrow, random: &random).bytes)
        let (store, scribe) = try store(in: directory, keys: [key])
        scribe.send("c")
        var batch = scribe.take()
        batch.retention = KeyRetention(
            oldest: Timestamp(rawValue: .max), count: 0, newest: Timestamp(rawValue: .max), rows: 100)
        try store.writer.commit(batch)
        #expect(try store.writer.forgottenKeys() == Self.tomorrow)
        _ = try store.writer.acceptClock(Self.now)
        #expect(try store.writer.forgottenKeys() == Self.now)
        try store.writer.close()
        let again = try open(directory)
        #expect(try again.writer.forgottenKeys() == Self.now)
        try again.writer.close()
    }
}
