import SQLiteStore
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a value that is longer than SQLite accepts.
@Suite struct LongValueTests {
    @Test(.timeLimit(.minutes(20))) func onlyTheCommandThatNeedsItFails() async throws {
        let folder = try StoreFolder()
        var bounds = StoreLimits()
        bounds.valueBytes = 100_000
        let running = try await RunningEngine(
            store: try SQLiteFileStore.open(at: folder.path + "/wfd.db", clock: SystemClock().now(), limits: bounds))
        let names = (0..<8).map { "l\($0)" }
        for name in names { try await running.start(name) }
        let told = await withTaskGroup(of: String.self) { group in
            for name in names {
                let text = name == "l3" ? String(repeating: "x", count: 200_000) : "x"
                group.addTask {
                    do throws(Rejection) {
                        _ = try await running.flip(name, data: ["text": .string(text)])
                        return "\(name) accepted"
                    } catch {
                        return "\(name) \(error.kind): \(error.message)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(told.filter { $0.hasSuffix(" accepted") }.count == 7, "\(told)")
        #expect(told[3].hasPrefix("l3 fault: ") && told[3].contains("string or blob too big"), "\(told)")
        // The daemon goes on, for the instance too.
        for name in names { _ = try await running.flip(name) }
        try await running.stop()
    }
}
