import DiskTesting
import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests that a rewritten file has the content of its rows, and nothing else.
@Suite struct CompactionTests {
    private static let marker = "remnant-7f3a91c2"
    private let directory: TemporaryDirectory
    private var path: String { directory.store }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Makes a store in which SQLite has left copies in gaps of tables and indexes, at ends of long values and in free
    /// pages.
    private func litter() throws {
        try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 1)).writer().close()
        let file = try DatabaseQueue(path: path)
        try file.inDatabase { database in
            try database.execute(sql: "PRAGMA secure_delete = OFF")
            for number in 0..<400 {
                let kept = number % 7 == 0
                let text = String(
                    repeating: "\(kept ? "kept" : Self.marker)-\(number)-", count: 1 + number * number % 600)
                try database.execute(
                    sql: "INSERT INTO queue (name, paused, actor, set_ms) VALUES (?, 0, ?, 1)", arguments: [text, text])
            }
            try database.execute(sql: "DELETE FROM queue WHERE name LIKE ?", arguments: ["\(Self.marker)%"])
            for number in 0..<40 {
                let text = String(repeating: "late", count: 1 + number * 3)
                try database.execute(
                    sql: "INSERT INTO queue (name, paused, set_ms) VALUES (?, 0, 1)",
                    arguments: ["late-\(number)-\(text)"])
            }
        }
        try file.close()
    }

    private func rows() throws -> [String] {
        try read { try String.fetchAll($0, sql: "SELECT name || coalesce(actor, '') FROM queue ORDER BY name") }
    }

    private func pragma(_ name: String) throws -> String? {
        try read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        return try file.inDatabase(body)
    }

    private func holdsMarker() throws -> Bool {
        try Data(contentsOf: URL(filePath: path)).range(of: Data(Self.marker.utf8)) != nil
    }

    private func compact(_ limits: StoreLimits = StoreLimits()) async throws(StoreError) -> CompactionReport {
        try await StoreCompaction(path: path, limits: limits) { _ in }.run()
    }

    @Test func nothingIsLeftBesideTheRows() async throws {
        try litter()
        let before = try rows()
        #expect(try holdsMarker() && before.count == 98)
        let size = try #require(directory.size(of: "store.db"))
        let report = try await compact()
        #expect(report.before == size && report.after < size / 2, "\(report)")
        #expect(directory.size(of: "store.db").map(Int64.init) == report.after)
        #expect(try !holdsMarker())
        #expect(try directory.names() == ["store.db", "store.db.lock"])
        #expect(try rows() == before)
        #expect(try pragma("integrity_check") == "ok")
        #expect(try pragma("freelist_count") == "0" && pragma("journal_mode") == "wal")
        #expect(try await compact().after == report.after)
        // The store opens as before.
        try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 2)).writer().close()
    }

    @Test func aFileInUseIsRefused() async throws {
        try litter()
        let store = try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 2))
        let writer = try store.writer()
        let error = await #expect(throws: StoreError.self) { try await compact() }
        #expect(error?.code == .locked)
        try writer.close()
        let reader = try ForeignReader(directory.store)
        let other = await #expect(throws: StoreError.self) { try await compact() }
        #expect(other?.message == "Cannot compact '\(path)': another program has it open; end that first")
        #expect(try holdsMarker())
        try reader.end()
    }

    @Test func aDamagedFileIsLeftAlone() async throws {
        try litter()
        var bytes = try Data(contentsOf: URL(filePath: path))
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        // The first cell of the last tree page points past its end.
        guard
            let page = stride(from: bytes.count - size, to: 0, by: -size).first(where: {
                [10, 13].contains(bytes[$0]) && bytes[$0 + 4] > 0
            })
        else {
            Issue.record("no leaf")
            return
        }
        bytes[page + 8] = 0xFF
        bytes[page + 9] = 0xFF
        try bytes.write(to: URL(filePath: path))
        let error = await #expect(throws: StoreError.self) { try await compact() }
        #expect(error?.code == .damaged, "\(String(describing: error))")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    /// A copy that fails the check of backups does not replace the file.
    @Test func aFileThatIsNotVerifiedIsLeftAlone() async throws {
        try litter()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let compaction = StoreCompaction(path: path) { _ in throw StoreError(.damaged, "seq 3 differs") }
        let error = await #expect(throws: StoreError.self) { try await compaction.run() }
        #expect(error?.message == "'\(path)' is damaged: seq 3 differs")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    @Test func aFileThatWasNotClosedIsRefused() async throws {
        let served = try TemporaryDirectory()
        let writer = try SQLiteFileStore.open(at: served.store, clock: Timestamp(rawValue: 1)).writer()
        let scribe = Scribe(writer)
        _ = scribe.apply("order")
        try scribe.commit(writer)
        for name in ["store.db", "store.db-wal"] {
            try directory.write(try Data(contentsOf: URL(filePath: served.path + "/" + name)), to: name)
        }
        try writer.close()
        let withLog = await #expect(throws: StoreError.self) { try await compact() }
        #expect(
            withLog?.message
                == "Cannot compact '\(path)': part of it is in the log beside it; start and stop wfd on it first")
        try FileManager.default.removeItem(atPath: path + "-wal")
        let withoutLog = await #expect(throws: StoreError.self) { try await compact() }
        #expect(
            withoutLog?.message
                == "Cannot compact '\(path)': it was not closed in order; start and stop wfd on it first")
    }

    @Test func aDiskWithoutRoomIsToldBefore() async throws {
        try litter()
        var limits = StoreLimits()
        limits.backupReserveBytes = 1 << 60
        let error = await #expect(throws: StoreError.self) { try await compact(limits) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasPrefix("Cannot compact '\(path)': the copy needs 1 MiB and leaves ") == true)
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    /// A file that was made without it gets it, so that it can give pages back from then on.
    @Test func aFileWithoutIncrementalVacuumGetsIt() async throws {
        try litter()
        try RawFile(directory).execute("PRAGMA auto_vacuum = NONE; VACUUM")
        #expect(try pragma("auto_vacuum") == "0")
        _ = try await compact()
        #expect(try pragma("auto_vacuum") == "2")
    }

    @Test func whoMayReadItStaysTheSame() async throws {
        try litter()
        chmod(path, 0o640)
        _ = try await compact()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test func whatAKilledOneLeftIsRemoved() async throws {
        try litter()
        let left = ["", "-journal", "-wal", "-shm"].map { "store.db.compacting" + $0 }
        for name in left { try directory.write(Data("half".utf8), to: name) }
        try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 2)).writer().close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
        for name in left { try directory.write(Data("half".utf8), to: name) }
        _ = try await compact()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }
}
