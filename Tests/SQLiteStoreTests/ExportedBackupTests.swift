import DiskTesting
import Foundation
import GRDBSQLite
import SQLiteStore
import StoreSuite
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowStore

/// Tests files that are made of the rows of another store.
struct ExportedBackupTests {
    private let directory: TemporaryDirectory
    private let name: BackupName

    init() throws {
        directory = try TemporaryDirectory()
        var random = SystemRandomNumberGenerator()
        name = BackupName(random: &random)
    }

    /// Writes a store, closes it, and opens its file.
    private func source() throws -> SQLiteFile {
        let store = try SQLiteFileStore.sqlite(directory)
        let scribe = Scribe(try store.writer())
        scribe.apply("order")
        for number in 0..<50 { scribe.start("order-\(number)", key: "begin-\(number)") }
        for number in 0..<500 { scribe.send("order-\(number % 50)", key: [0] + Array("send-\(number)".utf8)) }
        try scribe.commit(scribe.writer)
        try scribe.writer.close()
        return try SQLiteFile.open(at: directory.store)
    }

    private func backups(_ source: any StoreExport, limits: StoreLimits = StoreLimits()) -> ExportedBackups {
        ExportedBackups(of: "elsewhere", at: directory.path + "/folder/made", limits: limits) { source }
    }

    /// Returns the error of an export; `nil` if it succeeds.
    private func failure(of backups: ExportedBackups, goesOn: Bool = true) async -> StoreError? {
        do throws(StoreError) {
            try await backups.exportBackup(name) { _, _ in goesOn }
            return nil
        } catch {
            return error
        }
    }

    private func made() -> [String] {
        // Without a folder there is no file.
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/folder")) ?? []).sorted()
    }

    @Test func aFileHasAllRowsAndIsHeld() async throws {
        let source = try source()
        let backups = backups(source)
        let told = Mutex<[Int64]>([])
        try await backups.exportBackup(name) { done, total in
            told.withLock { $0.append(done) }
            return done <= total
        }
        let backup = try await backups.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        let sizes = told.withLock { $0 }
        #expect(sizes == sizes.sorted() && !sizes.isEmpty)
        #expect(backup.contents.instances == 50 && backup.contents.events == 550)
        let path = directory.path + "/folder/made.backup-\(name.text)"
        let copy = try SQLiteFile.open(at: path)
        #expect(copy.identity == source.identity)
        // The keys follow from the rows.
        #expect(try await copy.exportedStore().keys.count == 550)
        #expect(try await copy.exportedStore().numbers == source.exportedStore().numbers)
        try copy.close()
        backups.removeBackup(name)
        #expect(made() == ["made.lock"])
        try source.close()
    }

    @Test func aFullDiskLeavesNothing() async throws {
        let source = try source()
        let backups = backups(source)
        let path = directory.path + "/folder/made.backup-"
        FaultyVFS.watch(path)
        FaultyVFS.fail(path, [.write], after: 40, code: SQLITE_FULL)
        let error = await failure(of: backups)
        #expect(FaultyVFS.plan(path).hasFailed)
        #expect(error?.message.hasPrefix("Cannot back up 'elsewhere': ") == true && error?.code == .unavailable)
        #expect(error?.message.contains("full") == true, "\(String(describing: error))")
        #expect(made() == ["made.lock"])
        FaultyVFS.forget(path)
        // The next one is made.
        try await backups.exportBackup(name) { _, _ in true }
        _ = try await backups.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        try source.close()
    }

    @Test func withoutSpaceItDoesNotBegin() async throws {
        var limits = StoreLimits()
        limits.backupReserveBytes = 1 << 60
        let source = try source()
        let backups = backups(source, limits: limits)
        let error = await failure(of: backups)
        #expect(error?.message.contains("the copy needs 0 MiB and leaves") == true, "\(String(describing: error))")
        #expect(made() == ["made.lock"])
        try source.close()
    }

    @Test func whoGivesUpOrFailsTheCheckLeavesNothing() async throws {
        let source = try source()
        let backups = backups(source)
        #expect(await failure(of: backups, goesOn: false) != nil)
        #expect(made() == ["made.lock"])
        try await backups.exportBackup(name) { _, _ in true }
        do throws(StoreError) {
            _ = try await backups.completeBackup(
                name, verify: { _ in throw StoreError(.damaged, "made to fail") }, mayGoOn: { _, _ in true })
            Issue.record("the check fails")
        } catch {
            #expect(error.code == .damaged, "\(error)")
        }
        #expect(made() == ["made.lock"])
        try source.close()
    }

    /// A second process does not remove the files of the first; the next start does.
    @Test func filesOfAnEarlierProcessAreRemovedAndThoseOfAnotherStay() async throws {
        let source = try source()
        do {
            let first = backups(source)
            try await first.exportBackup(name) { _, _ in true }
            let second = backups(source)
            #expect(made().contains("made.backup-\(name.text).partial"))
            let error = await failure(of: second)
            #expect(error?.message.contains("it is in use by process \(getpid())") == true)
        }
        try directory.write(Data(), to: "folder/made.backup-0123456789abcdef.partial")
        try directory.write(Data(), to: "folder/made.backup-of-mine")
        _ = backups(source)
        #expect(made() == ["made.backup-of-mine", "made.lock"])
        try source.close()
    }
}
