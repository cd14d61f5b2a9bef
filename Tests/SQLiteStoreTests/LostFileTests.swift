import Foundation
import SQLiteStore
import StoreSuite
import Testing
import WorkflowStore

/// Tests files that somebody moved, removed or gave a second name.
@Suite struct LostFileTests {
    @Test func aFileWithTwoNamesIsRefused() throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        try FileManager.default.linkItem(atPath: directory.store, toPath: directory.store + ".second")
        let error = #expect(throws: StoreError.self) { try SQLiteFileStore.sqlite(directory) }
        #expect(error?.code == .cannotOpen)
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': the file has 2 names (hard links), and each would have its own "
                + "lock and log; remove the others")
    }

    @Test(arguments: [false, true])
    func aLogThatIsMissingAfterACrashIsNoticed(isFirstRun: Bool) throws {
        let directory = try TemporaryDirectory()
        if !isFirstRun { try SQLiteFileStore.sqlite(directory).writer().close() }
        let store = try SQLiteFileStore.sqlite(directory)
        let crashed = try directory.copyAfterCrash()
        try store.writer().close()
        try FileManager.default.removeItem(atPath: crashed.store + "-wal")
        let error = #expect(throws: StoreError.self) { try SQLiteFileStore.sqlite(crashed) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("its write-ahead log '") == true)
        // The message says how to go on without it.
        try Data().write(to: URL(filePath: crashed.store + "-wal"))
        try SQLiteFileStore.sqlite(crashed).writer().close()
    }

    @Test func aFileThatIsDeletedWhileInUseTakesNothingMore() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        try scribe.commit(writer)
        try FileManager.default.removeItem(atPath: directory.store)
        scribe.send("order-1")
        let error = #expect(throws: StoreError.self) { try scribe.commit(writer) }
        #expect(error?.code == .fenced)
        #expect(
            error?.message
                == "Cannot write to '\(directory.store)': the file was moved, replaced or deleted while it was in use")
    }
}
