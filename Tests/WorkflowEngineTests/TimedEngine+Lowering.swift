import SQLiteStore
import WorkflowEngine
import WorkflowStore

extension TimedEngine {
    /// Accepts the clock while no engine runs, and undoes the effects of a clock that was ahead.
    @discardableResult
    func lowerStopped() async throws -> ClockLowering.Report {
        let store = try SQLiteFileStore.open(at: folder.path + "/wfd.db", clock: clock.now())
        let writer = try store.writer()
        _ = try writer.acceptClock(clock.now(), by: nil)
        let report = try await ClockLowering(in: store, at: clock.now()).run(on: writer, by: Actor(rawValue: "uid:0"))
        try writer.close()
        return report
    }
}
