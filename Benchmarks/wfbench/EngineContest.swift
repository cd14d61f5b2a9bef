import WorkflowEngine

/// Batches of 500 events through the engine, beside the loop over sqlite3 that writes the same rows into a copy of the
/// same file. Both flush every batch.
struct EngineContest: Contest {
    private var files: EngineFiles
    private let running: RunningEngine
    private let loop: SQLiteFloorFile
    private let events: Int

    /// Makes both files, with the instances, and lets both sides become warm.
    init(_ workload: Workload, _ setting: Setting) async throws {
        files = try await EngineFiles(workload, in: setting.folder)
        running = try RunningEngine(path: files.ours)
        loop = try SQLiteFloorFile(path: files.floor)
        events = files.events(in: setting.seconds)
        // The log is as long as it becomes then.
        let more = min(events, 20_000)
        try await running.send(files.firstCommands() + files.commands(more))
        try loop.run(files.firstPlan())
        try loop.run(files.plan(more))
    }

    mutating func ours() async throws -> Sample {
        try await running.measure(files.commands(events))
    }

    mutating func floor() async throws -> Sample? {
        let plan = try files.plan(events)
        let begin = ContinuousClock.now
        try loop.run(plan)
        return Sample(events: events, in: .now - begin)
    }

    mutating func end() async throws {
        try await running.stop()
        loop.close()
        try SameRows.check(files.ours, files.floor)
    }
}

extension RunningEngine {
    /// Sends all, a few requests at once.
    func send(_ lists: [[SendCommand]], atOnce lanes: Int = 4) async throws {
        try await OrderedSender(engine).send(lists, atOnce: lanes)
    }

    /// Sends all, and tells how many events a second that were.
    func measure(_ lists: [[SendCommand]]) async throws -> Sample {
        let events = lists.reduce(0) { $0 + $1.count }
        let before = engine.statistics.counts
        let begin = ContinuousClock.now
        try await send(lists)
        let time = ContinuousClock.now - begin
        let after = engine.statistics.counts
        guard after.events - before.events == events else { throw BenchmarkError("events are missing") }
        let mean = Double(events) / Double(max(1, after.batches - before.batches))
        return Sample(events: events, in: time, and: "\(mean.text(0)) events a commit")
    }
}

extension Sample {
    /// Events a second; the note tells how long one takes.
    init(events: Int, in time: Duration, and more: String? = nil) {
        let seconds = time / .seconds(1)
        let each = (seconds / Double(events) * 1e6).text(2) + " µs each"
        self.init(value: Double(events) / seconds, note: more.map { each + ", " + $0 } ?? each)
    }
}
