import Foundation
import GRDB
import SQLiteStore
import Testing
import WorkflowStore

/// What stands in a file where no row does is overwritten, and nothing else.
@Suite struct ScrubTests {
    private static let marker = "remnant-7f3a91c2"
    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/wfd.db" }

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// A store in which SQLite has left copies in gaps of tables and indexes, at ends of long values and in free pages.
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
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        return try file.inDatabase { try String.fetchAll($0, sql: "SELECT name || coalesce(actor, '') FROM queue") }
    }

    private func holdsMarker() throws -> Bool {
        try Data(contentsOf: URL(filePath: path)).range(of: Data(Self.marker.utf8)) != nil
    }

    private func scrub() async throws(StoreError) -> ScrubReport {
        try await StoreScrub(path: path) { _ in }.run()
    }

    @Test func nothingIsLeftBesideTheRows() async throws {
        try litter()
        let before = try rows()
        #expect(try holdsMarker() && before.count == 98)
        let report = try await scrub()
        #expect(report.cleanedPages > 3 && report.cleanedBytes > 10_000, "\(report)")
        #expect(try !holdsMarker())
        #expect(try rows() == before)
        let file = try DatabaseQueue(path: path)
        #expect(try await file.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        try file.close()
        let again = try await scrub()
        #expect(again.cleanedBytes == 0 && again.pages == report.pages, "\(again)")
        // The store opens as before.
        try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 2)).writer().close()
    }

    @Test func aFileInUseIsRefused() async throws {
        try litter()
        let store = try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 2))
        let writer = try store.writer()
        let error = await #expect(throws: StoreError.self) { try await scrub() }
        #expect(error?.code == .locked)
        try writer.close()
        var configuration = Configuration()
        // It stays open while the file is to be scrubbed.
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try await reader.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN; SELECT * FROM queue")
        }
        await #expect(throws: StoreError.self) { try await scrub() }
        #expect(try holdsMarker())
        try reader.close()
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
        let error = await #expect(throws: StoreError.self) { try await scrub() }
        #expect(error?.code == .damaged, "\(String(describing: error))")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
}
