import Foundation
import PostgresStore
import SQLiteStore
import Statechart
import Synchronization
import WorkflowEngine
import WorkflowStore

/// Restores a backup into an empty store in a database of PostgreSQL.
struct PostgresRestore {
    /// The time between two messages about the progress.
    private static let interval: Duration = .seconds(5)

    let backup: String
    let address: PostgresAddress
    /// True to accept settings of the server by which a crash may lose what was answered.
    let isInsecure: Bool
    let isDryRun: Bool

    /// Returns the report of a restore or of a dry run.
    ///
    /// The backup becomes a database in a temporary folder first: verified, upgraded, of a new generation, and held.
    func run() async throws -> RestoreReport {
        var random = SystemRandomNumberGenerator()
        let now = SystemClock().now()
        let owner = UniqueID(at: now, random: &random)
        let restoration = PostgresRestoration(into: address, owner: owner, insecure: isInsecure)
        // A backup is not verified in vain.
        try restoration.check()
        let folder = try Self.makeFolder()
        // A folder that cannot be removed is in a place that the system empties.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/restored.db"
        let report = try await StoreRestoration(
            backup: backup, database: file, isDryRun: isDryRun
        ) { try await Verification(of: $0).requireNone { _ in } }.run(clock: now)
        guard report.clock == .real else {
            throw StoreError(
                .otherClock,
                "Cannot restore '\(backup)' to '\(address)': its clock is virtual, which needs a database in a file")
        }
        if isDryRun { return report }
        try upgrade(file, at: report.time)
        let source = try SQLiteFile.open(at: file, on: .real)
        let (total, begin) = (report.contents.events, ContinuousClock.now)
        let told = Mutex(begin)
        try await restoration.run(from: source) { done in
            let isDue = told.withLock { told in
                guard told.duration(to: .now) >= Self.interval else { return false }
                told = .now
                return true
            }
            if isDue { Console.tell("\(done) of \(total) events") }
        }
        try source.close()
        return report
    }

    /// Makes a new folder for temporary files, which its owner alone can enter. A name that others know could lead to a
    /// folder of theirs.
    private static func makeFolder() throws -> String {
        var name = Array(FileManager.default.temporaryDirectory.appending(path: "wfd-restore-XXXXXX").path.utf8CString)
        guard mkdtemp(&name) != nil else {
            throw StoreError(
                .cannotOpen, "Cannot make a folder for temporary files: \(String(cString: strerror(errno)))")
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    /// Brings the file to the newest schema.
    private func upgrade(_ file: String, at time: Timestamp) throws {
        let store = try SQLiteFileStore.open(
            at: file, clock: time, holds: true, upgrade: UpgradeOptions(keepsCopy: false))
        try store.writer().close()
    }
}
