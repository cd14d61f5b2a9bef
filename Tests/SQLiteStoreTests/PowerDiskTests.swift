import DiskTesting
import Foundation
import GRDB
import Testing

/// Tests the disk that loses its power: the data that it keeps, and the data that it may lose.
@Suite struct PowerDiskTests {
    /// A table in a log, and the disk below it.
    private struct Scene {
        let directory: TemporaryDirectory
        let disk: PowerDisk
        let queue: DatabaseQueue

        init(synchronous: String, honesty: PowerDisk.Honesty = .honest) throws {
            directory = try TemporaryDirectory()
            disk = try PowerDisk(directory.path, honesty: honesty)
            queue = try DatabaseQueue(path: directory.store)
            try queue.inDatabase { database in
                try database.execute(
                    sql: """
                        PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous);
                        PRAGMA wal_autocheckpoint = 0; CREATE TABLE list (number INTEGER PRIMARY KEY, text TEXT);
                        """)
            }
        }

        func insert(_ number: Int) throws {
            try queue.inDatabase { database in
                try database.execute(
                    sql: "INSERT INTO list VALUES (?, ?)", arguments: [number, String(repeating: "x", count: 3_000)])
            }
        }

        /// Returns the numbers of rows that the disk still has, for several draws; -1 for a file that cannot be read.
        ///
        /// - Parameter wanted: The counts of which one is enough.
        func rowsLeft(draws: Int, until wanted: Range<Int> = 0..<0) throws -> Set<Int> {
            disk.cut()
            disk.forget()
            var random = SystemRandomNumberGenerator()
            return try (0..<draws).reduce(into: []) { counts, _ in
                if !counts.isDisjoint(with: wanted) { return }
                let copy = try TemporaryDirectory()
                for (name, bytes) in disk.remains(using: &random) { try copy.write(Data(bytes), to: name) }
                // It does not matter what is wrong with the file: only in the test of a lying disk is anything wrong.
                let text = try? RawFile(copy).value(
                    "SELECT iif(count(*) = coalesce(max(number), 0), count(*), -1) FROM list")
                counts.insert(text.flatMap { Int($0) } ?? -1)
            }
        }
    }

    @Test func whatIsSyncedStays() throws {
        let scene = try Scene(synchronous: "FULL")
        for number in 1...5 { try scene.insert(number) }
        #expect(try scene.rowsLeft(draws: 20) == [5])
    }

    @Test func whatIsNotSyncedMayBeLostButNeverInTheMiddle() throws {
        let scene = try Scene(synchronous: "NORMAL")
        _ = try scene.queue.inDatabase { try $0.checkpoint(.full) }
        for number in 1...5 { try scene.insert(number) }
        let left = try scene.rowsLeft(draws: 200)
        // Some draws leave all rows, and some fewer.
        #expect(left.isSubset(of: Set(0...5)) && left.count > 1)
    }

    @Test func aLogThatOnlyClaimsToBeSyncedIsLost() throws {
        let scene = try Scene(synchronous: "FULL", honesty: .liesAboutLog)
        for number in 1...5 { try scene.insert(number) }
        // Most draws leave a file that cannot be read.
        #expect(try !scene.rowsLeft(draws: 5_000, until: 0..<5).isDisjoint(with: 0..<5))
    }

    @Test(arguments: 1...20) func aTornCheckpointIsHealedByTheLog(call: Int) throws {
        let scene = try Scene(synchronous: "FULL")
        for number in 1...8 { try scene.insert(number) }
        scene.disk.cut(atCall: call)
        // The checkpoint fails, unless it has fewer calls than that.
        _ = try? scene.queue.inDatabase { try $0.checkpoint(.truncate) }
        #expect(try scene.rowsLeft(draws: 20) == [8])
    }

    @Test func writesAreTornAtSectorsAndLaterOnesOutliveEarlierOnes() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data(repeating: 1, count: 2_048), to: "a")
        let disk = try PowerDisk(directory.path)
        let page = [UInt8](repeating: 2, count: 2_048)
        page.withUnsafeBytes { bytes in
            _ = disk.answer(to: .write(bytes, at: 0), at: directory.path + "/a")
            _ = disk.answer(to: .write(bytes, at: 2_048), at: directory.path + "/a")
        }
        disk.cut()
        disk.forget()
        var random = SystemRandomNumberGenerator()
        var (torn, reordered) = (0, 0)
        for _ in 0..<500 {
            let bytes = try #require(disk.remains(using: &random)["a"])
            let sectors = stride(from: 0, to: 2_048, by: 512).map { Set(bytes[$0..<$0 + 512]) }
            #expect(sectors.allSatisfy { $0 == [1] || $0 == [2] })
            if Set(sectors).count == 2 { torn += 1 }
            if Set(sectors) == [[1]], bytes.count == 4_096, Set(bytes[2_048...]) == [2] { reordered += 1 }
        }
        #expect(torn > 0 && reordered > 0)
    }
}
