import Foundation
import SQLiteStore
import Testing
import WorkflowStore

/// Tests files of other people in the places of ours: a link, a folder, a second name.
@Suite struct ForeignFileTests {
    private static let precious = Data("precious".utf8)

    /// Returns a directory with a closed store, and a file that must stay as it is.
    private func store() throws -> (directory: TemporaryDirectory, victim: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        try FileManager.default.removeItem(atPath: directory.store + ".lock")
        let victim = try TemporaryDirectory()
        try victim.write(Self.precious, to: "victim")
        return (directory, victim)
    }

    @Test(arguments: ["store.db.lock", "store.db-wal", "store.db-shm", "store.db-journal"])
    func aLinkBesideTheDatabaseIsRefusedAndNotFollowed(name: String) throws {
        let (directory, victim) = try store()
        let path = directory.path + "/" + name
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim.path + "/victim")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(error?.code == .cannotOpen)
        #expect(
            error?.message == "Cannot open '\(directory.store)': '\(path)' is a symbolic link; move it away")
        #expect(try victim.contents() == ["victim": Self.precious])
        // The message says how to solve it: move the link away.
        try FileManager.default.removeItem(atPath: path)
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    @Test(arguments: ["store.db.lock", "store.db-wal"])
    func aLinkToNothingIsNotCreatedThrough(name: String) throws {
        let (directory, victim) = try store()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/" + name, withDestinationPath: victim.path + "/new")
        #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(try victim.names() == ["victim"])
    }

    @Test func aLockWithAnotherNameIsRefusedAndNotEmptied() throws {
        let (directory, victim) = try store()
        try FileManager.default.linkItem(atPath: victim.path + "/victim", toPath: directory.store + ".lock")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': '\(directory.store).lock' has 2 names (hard links), and writing "
                + "to it would change the others; remove it")
        #expect(try victim.contents() == ["victim": Self.precious])
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["store.db.lock", "store.db-wal"])
    func aPipeOrAFolderIsRefused(name: String) throws {
        let (directory, _) = try store()
        let path = directory.path + "/" + name
        for make in [{ mkfifo(path, 0o600) }, { mkdir(path, 0o700) }] {
            #expect(make() == 0)
            let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
            #expect(error?.code == .cannotOpen)
            #expect(remove(path) == 0)
        }
    }

    /// The given path may still be a link: it is another name of the database itself.
    @Test func theGivenPathMayBeALink() throws {
        let (directory, victim) = try store()
        let link = victim.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.store)
        let store = try SQLiteFileStore.open(at: link, clock: Timestamp(rawValue: 1_700_000_000_000))
        #expect(try directory.names().contains("store.db.lock"))
        try store.writer().close()
        #expect(try victim.names() == ["link.db", "victim"])
    }

    @Test(arguments: ["store.db.lock", "store.db-wal", "store.db-journal"])
    func aRestoreFollowsNoLinkEither(name: String) async throws {
        let (directory, victim) = try store()
        let backup = try TemporaryDirectory()
        try backup.write(try Data(contentsOf: URL(filePath: directory.store)), to: "store.db")
        let path = directory.path + "/" + name
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim.path + "/victim")
        let error = await #expect(throws: StoreError.self) {
            _ = try await StoreRestoration(backup: backup.store, database: directory.store, verify: { _ in })
                .run(clock: Timestamp(rawValue: 1_785_490_200_000))
        }
        #expect(
            error?.message == "Cannot open '\(directory.store)': '\(path)' is a symbolic link; move it away")
        #expect(try victim.contents() == ["victim": Self.precious])
    }

    /// The copy, and the files that it replaces, get names that nobody can have taken before.
    @Test func whatARestoreWritesIsNotWrittenThroughALink() async throws {
        let (directory, victim) = try store()
        let backup = try TemporaryDirectory()
        try backup.write(try Data(contentsOf: URL(filePath: directory.store)), to: "store.db")
        for name in [".restoring", ".replaced-20260731T093000Z"] {
            try FileManager.default.createSymbolicLink(
                atPath: directory.store + name, withDestinationPath: victim.path + "/new")
        }
        let report = try await StoreRestoration(backup: backup.store, database: directory.store, verify: { _ in })
            .run(clock: Timestamp(rawValue: 1_785_490_200_000))
        #expect(report.replaced == directory.store + ".replaced-20260731T093000Z-2")
        #expect(try victim.contents() == ["victim": Self.precious])
    }

    @Test func aBackupOfAPersonsOwnStaysBesideTheDatabase() throws {
        let (directory, _) = try store()
        let left = ["store.db.backup-0123456789abcdef", "store.db.backup-0123456789abcdef.partial-journal"]
        for name in left + ["store.db.backup-before-upgrade"] { try directory.write(Self.precious, to: name) }
        try SQLiteFileStore.sqlite(directory).writer().close()
        #expect(try directory.names() == ["store.db", "store.db.backup-before-upgrade", "store.db.lock"])
    }
}
