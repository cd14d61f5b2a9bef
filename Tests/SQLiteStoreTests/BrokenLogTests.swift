import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests logs with a flipped bit, and logs that a kill tore: SQLite ends both at the first bad frame.
@Suite struct BrokenLogTests {
    private static let frameBytes = 24 + 4_096

    /// Returns a store as a kill leaves it, with a number of commits in its log.
    private func killed(commits: Int) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        for _ in 1..<commits {
            scribe.send("order-1")
            try scribe.commit(writer)
        }
        let killed = try directory.copyAfterCrash()
        try writer.close()
        return killed
    }

    /// Returns the numbers of the frames that end a transaction.
    private func commits(in log: Data) -> [Int] {
        (1...(log.count - 32) / Self.frameBytes).filter { number in
            let place = 32 + (number - 1) * Self.frameBytes
            return log[place + 4..<place + 8].contains { $0 != 0 }
        }
    }

    /// Returns the number of frames that SQLite sees, which is the oracle.
    private func seen(_ directory: TemporaryDirectory) throws -> Int {
        let copy = try directory.copyAfterCrash()
        let connection = try DatabaseQueue(path: copy.store)
        let row = try connection.inDatabase { try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        try connection.close()
        return try #require(row)["log"]
    }

    private func log(_ directory: TemporaryDirectory) throws -> Data {
        try Data(contentsOf: URL(filePath: directory.store + "-wal"))
    }

    /// Opens the store, and expects all its rows in order.
    private func open(_ directory: TemporaryDirectory) throws -> StoreRecovery {
        let store = try SQLiteFileStore.sqlite(directory)
        try store.writer().close()
        return store.recovered
    }

    @Test func whereverAKillToreTheLogThereIsNoWarning() throws {
        let killed = try killed(commits: 4)
        let log = try log(killed)
        #expect(try open(try killed.copyAfterCrash()).logBreak == nil)
        for size in stride(from: 33, to: log.count, by: Self.frameBytes / 3) {
            let torn = try killed.copyAfterCrash()
            try torn.write(log.prefix(size), to: "store.db-wal")
            #expect(try open(torn).logBreak == nil, "\(size) of \(log.count) bytes")
        }
    }

    /// The log started over: after its end are older frames.
    @Test func whatStandsBehindALogThatStartedOverIsNoWarning() throws {
        var limits = StoreLimits()
        limits.passiveFrames = 1
        limits.restartFrames = 8
        limits.passiveStepFrames = 1
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        for _ in 1...20 {
            try scribe.commit(writer)
            try writer.maintain()
            scribe.send("order-1")
            let killed = try directory.copyAfterCrash()
            #expect(try open(killed).logBreak == nil)
        }
        try writer.close()
    }

    /// The bit is in the page, in the salts or in the checksum of a frame of the second commit.
    @Test(arguments: [24 + 1_000, 9, 20])
    func aFlippedBitIsTold(place: Int) throws {
        let killed = try killed(commits: 5)
        var log = try log(killed)
        let commits = commits(in: log)
        try #require(commits.count >= 5)
        log[32 + commits[0] * Self.frameBytes + place] ^= 1
        try killed.write(log, to: "store.db-wal")
        let seen = try seen(killed)
        let recovered = try open(killed)
        let found = try #require(recovered.logBreak)
        #expect(seen == commits[0])
        let copy = try #require(found.copy)
        #expect(found == LogBreak(used: seen, found: commits[commits.count - 1], isProof: true, copy: copy))
        #expect(
            "\(found)"
                == "the write-ahead log has \(found.found) frames up to its last commit, and \(seen) of them could be "
                + "used; it was damaged, and answered events are lost: restore a backup, or go on without them; the "
                + "log as it was is '\(copy)'")
        #expect(copy == killed.store + ".damaged-wal-20231114T221320Z")
        #expect(try Data(contentsOf: URL(filePath: copy)) == log)
        // The damage is told once: the next start finds none.
        #expect(try open(killed).logBreak == nil)
    }

    /// SQLite then uses no frame of the log.
    @Test(arguments: [2, 13, 17, 26]) func aFlippedBitInTheHeaderIsTold(place: Int) throws {
        let killed = try killed(commits: 3)
        var log = try log(killed)
        let last = try #require(commits(in: log).last)
        log[place] ^= 1
        try killed.write(log, to: "store.db-wal")
        #expect(try seen(killed) == 0)
        let found = try #require(try open(killed).logBreak)
        #expect(found.used == 0 && found.found == last && found.isProof)
    }

    /// A power failure can leave the last transaction like this, and no client was told of it.
    @Test func aBreakInTheLastTransactionProvesNothing() throws {
        let killed = try killed(commits: 3)
        var log = try log(killed)
        let commits = Array(commits(in: log).suffix(2))
        try #require(commits[1] > commits[0] + 1)
        log[32 + commits[0] * Self.frameBytes + 500] ^= 1
        try killed.write(log, to: "store.db-wal")
        let found = try #require(try open(killed).logBreak)
        #expect(found == LogBreak(used: commits[0], found: commits[1], isProof: false))
        #expect(
            "\(found)"
                == "the write-ahead log has \(commits[1]) frames up to its last commit, and \(commits[0]) of them "
                + "could be used; after a power failure or on a full disk nobody was answered what the others "
                + "hold, else the log was damaged and answered events are lost")
    }

    /// A COMMIT that failed on a full disk leaves its frames, and a shorter transaction overwrites the first of them
    /// later.
    @Test func whatAFailedCommitLeftProvesNothing() throws {
        let long = try killed(commits: 3)
        let short = try long.copyAfterCrash()
        let first = commits(in: try log(long))[0]
        try short.write(try log(long).prefix(32 + first * Self.frameBytes), to: "store.db-wal")
        let connection = try DatabaseQueue(path: short.store)
        try connection.inDatabase { try $0.execute(sql: "PRAGMA user_version = \(Migrations.all.count)") }
        var log = try log(short)
        try connection.close()
        try #require(log.count == 32 + (first + 1) * Self.frameBytes)
        log += try self.log(long).dropFirst(log.count)
        let mixed = try long.copyAfterCrash()
        // The last commit goes, so that what stands behind is of one transaction.
        let second = commits(in: try self.log(long))[1]
        try mixed.write(log.prefix(32 + second * Self.frameBytes), to: "store.db-wal")
        let found = try #require(try open(mixed).logBreak)
        #expect(found == LogBreak(used: first + 1, found: second, isProof: false))
    }
}
