import GRDBSQLite
import SQLiteStore
import Testing
import WorkflowStore

/// Tests SQLite's memory in separate processes, because it is configured once for a process.
@Suite struct SQLiteMemoryTests {
    @Test(.timeLimit(.minutes(20))) func openingAStoreLeavesMemoryUncounted() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try SQLiteFileStore.sqlite(directory)
            #expect(sqlite3_memory_used() == 0)
            try store.writer().close()
        }
    }
}
