package import WorkflowEngine

/// Batches of events through the engine, beside the loop over sqlite3 that writes the same rows into a copy of the same
/// file. The loop commits every batch; the engine commits all waiting batches together. Both flush every commit.
package struct EngineContest: Contest {
    private var files: EngineFiles
    private let running: RunningEngine
    private let loop: SQLiteFloorFile
    private let events: Int
    private let workload: Workload

    /// Makes both files with the instances, and warms up both sides.
    package init(_ workload: Workload, _ setting: Setting) async throws {
        files = try await EngineFiles(workload, in: setting.folder)
        self.workload = workload
        var limits = EngineLimits()
        limits.batchRows = min(limits.batchRows, workload.batch)
        // As single sends: they are in one batch, or wait for the next.
        if workload.batch < Workload.usualBatch { limits.batchesTogether = 1 }
        running = try RunningEngine(path: files.ours, limits: limits)
        loop = try SQLiteFloorFile(path: files.floor)
        events = files.events(in: setting.seconds)
        // The log is as long as it becomes then.
        let more = min(events, 20_000)
        try await running.send(files.firstCommands() + files.commands(more), atOnce: workload.requestsAtOnce)
        try loop.run(files.firstPlan(), batch: workload.batch)
        try loop.run(files.plan(more), batch: workload.batch)
    }

    package mutating func ours() async throws -> Sample {
        try await running.measure(files.commands(events), atOnce: workload.requestsAtOnce)
    }

    package mutating func floor() async throws -> Sample? {
        let plan = try files.plan(events)
        let work = Stopwatch()
        try loop.run(plan, batch: workload.batch)
        return Sample(events: events, work)
    }

    package mutating func end() async throws {
        try await running.stop()
        loop.close()
        try SameRows.check(files.ours, files.floor)
    }
}

extension RunningEngine {
    /// Sends all lists, a number of requests at a time.
    package func send(_ lists: [[SendCommand]], atOnce lanes: Int) async throws {
        try await compileMachines()
        try await OrderedSender(engine).send(lists, atOnce: lanes)
    }

    /// Sends all lists. Returns the number of events a second.
    package func measure(_ lists: [[SendCommand]], atOnce lanes: Int) async throws -> Sample {
        let events = lists.reduce(0) { $0 + $1.count }
        let before = engine.statistics.counts
        let work = Stopwatch()
        try await send(lists, atOnce: lanes)
        let sample = Sample(events: events, work)
        let after = engine.statistics.counts
        guard after.events - before.events == events else { throw BenchmarkError("events are missing") }
        let mean = Double(events) / Double(max(1, after.commits - before.commits))
        return sample.noting("\(mean.text(0)) events a commit")
    }
}
