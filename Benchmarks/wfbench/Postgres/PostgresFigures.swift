import EngineFloor

/// The figures of the store on PostgreSQL. Each contest has a private server of its own.
enum PostgresFigures {
    static let figures: [Figure] =
        [
            engine("100000", "100,000 instances in memory, batches of 512", flat, goal: 0.7, isQuick: true),
            engine(
                "cold", "100,000 instances, none of them in memory, batches of 512", flat, goal: 0.4, isQuick: true,
                isCold: true),
            engine("after", "1,000 instances, a timer in every state", .after(1_000).with(batch: 512)),
            engine("nested", "1,000 instances, nested machine with guard and assign", .nested(1_000).with(batch: 512)),
            engine("key", "1,000 instances, UUIDv7 keys", .flat(1_000).with(keys: .growing).with(batch: 512)),
            figure(
                "engine.hot", "one hot instance / 1,000 instances", .perSecond, .ratioAtLeast(0.8),
                { try await PostgresHotContest($0) }),
            figure(
                "cpu.64", "the server's CPU for a send, 64 connections, 16 partitions / a transaction of 64 events",
                .microseconds, .ratioAtMost(1.5),
                { try await PostgresCostContest($0, floor: .oneTransaction) }),
            figure(
                "cpu.locks", "the same / a transaction for each event that locks the row of its instance",
                .microseconds, .ratioAtMost(0.167), { try await PostgresCostContest($0, floor: .rowLocks) }),
            figure(
                "cpu.64.one", "the same as cpu.64 in a store of one partition", .microseconds, .ratioAtMost(1.5),
                { try await PostgresCostContest($0, floor: .oneTransaction, partitions: 1) }, isQuick: false),
            figure(
                "latency.owner", "p50 of one client's sends / p50 of a raw commit + p50 of an empty round trip",
                .milliseconds, .ratioAtMost(1.5), { try await PostgresLatencyContest($0) }),
            figure(
                "latency.owner.one", "the same in a store of one partition", .milliseconds, .ratioAtMost(1.5),
                { try await PostgresLatencyContest($0, partitions: 1) }, isQuick: false),
            figure(
                "latency.atomic", "p50 of an atomic batch of 16 events over 16 partitions / p50 of a single send",
                .milliseconds, .ratioAtMost(3), { try await PostgresAtomicContest($0) }),
            figure(
                "latency.standby", "p50 of sends through the other daemon less p50 at the owner / p50 of an empty trip",
                .milliseconds, .ratioAtMost(1.5),
                { try await PostgresForwardContest($0) }),
            figure(
                "idle", "statements of a daemon that has nothing to do", .perSecond, .atMost(3),
                { try await PostgresIdleContest($0) }),
            figure(
                "start", "a start with 1 million instances and 100,000 timers", .milliseconds, .atMost(2_000),
                { try await PostgresStartContest($0) }),
        ]

    private static let flat = Workload.flat(100_000).with(batch: 512)

    private static func engine(
        _ id: String, _ title: String, _ workload: Workload, goal: Double? = nil, isQuick: Bool = false,
        isCold: Bool = false
    ) -> Figure {
        figure(
            "engine." + id, title, .perSecond, goal.map { .ratioAtLeast($0) },
            { try await PostgresEngineContest(workload, $0, isCold: isCold) }, isQuick: isQuick)
    }

    private static func figure(
        _ id: String, _ title: String, _ unit: Figure.Unit, _ goal: Figure.Goal?,
        _ begin: @escaping @Sendable (Setting) async throws -> any Contest, isQuick: Bool = true
    ) -> Figure {
        Figure(id: prefix + "." + id, title: title, unit: unit, goal: goal, isQuick: isQuick, begin: begin)
    }

    /// The first part of the ids.
    static let prefix = "postgres"
}
