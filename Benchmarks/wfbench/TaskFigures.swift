import EngineFloor

/// The figures of tasks: begun by events, leased and completed by workers.
enum TaskFigures {
    static let figures: [Figure] = [
        Figure(
            id: "tasks.engine", title: "begin, lease and complete in batches of 100, 10,000 instances / C floor",
            unit: .perSecond, goal: .ratioAtLeast(0.5), isQuick: true,
            begin: { setting in try await TaskContest(setting) }),
        Figure(
            id: "tasks.http", title: "the same over HTTP, 4 connections, 10 queues / C floor", unit: .perSecond,
            goal: .atLeast(8_000), isQuick: true, begin: { setting in try await TaskHTTPContest(setting) }),
        Figure(
            id: "tasks.poll", title: "p99 from an event that begins a task to the answer of a poll that waits for it",
            unit: .milliseconds, goal: .atMost(20), isQuick: true,
            begin: { setting in try await PollContest(setting) }),
    ]
}
