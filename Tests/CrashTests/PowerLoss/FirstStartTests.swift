import DaemonTesting
import DiskTesting
import Foundation
import SQLiteStore
import Testing
import ThreadTesting
import WorkflowStore

/// Cuts the power at every call of the first start on a new database. The next start must find a store or make one.
@Suite(.tags(.heavy)) struct FirstStartTests {
    private static let draws = 8

    @Test(.timeLimit(.minutes(20))) func aFirstStartThatIsCutAnywhereCanBeRepeated() throws {
        let folder = try TemporaryFolder(in: "/dev/shm")
        var random = SeededRandom(seed: 1)
        var call = 0
        var isCut = true
        while isCut {
            call += 1
            let path = try folder.makeFolder("first")
            let disk = try PowerDisk(path)
            disk.cut(atCall: call)
            let opened = Result { try Self.open(path).writer().close() }
            isCut = disk.isCut
            disk.cut()
            disk.forget()
            if !isCut { try opened.get() }
            for _ in 0..<Self.draws {
                let again = try folder.makeFolder("again")
                for (name, bytes) in disk.remains(using: &random) {
                    try Data(bytes).write(to: URL(filePath: again + "/" + name))
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: again).sorted()
                do {
                    try Self.open(again).writer().close()
                } catch {
                    Issue.record("call \(call) (\(disk.cutCall ?? "none")) left \(names): \(error)")
                }
                try FileManager.default.removeItem(atPath: again)
            }
            try FileManager.default.removeItem(atPath: path)
        }
        print("power: a first start makes \(call - 1) calls that change something")
        #expect(call > 50)
    }

    private static func open(_ folder: String) throws -> SQLiteFileStore {
        var limits = StoreLimits()
        limits.readers = 1
        return try SQLiteFileStore.open(at: folder + "/wfd.db", clock: PowerClock().now(), limits: limits)
    }
}
