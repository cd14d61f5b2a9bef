/// Batches through the engine, in this process.
enum EngineFigures {
    static let figures: [Figure] = [
        figure("engine.1000.flat", "1,000 instances, flat machine", .flat(1_000), atLeast: 0.7, isQuick: true),
        figure("engine.100000.flat", "100,000 instances, flat machine", .flat(100_000), atLeast: 0.7, isQuick: true),
        figure("engine.1000.nested", "1,000 instances, nested machine, guard, assign", .nested(1_000)),
        figure("engine.1000.after", "1,000 instances, a timer in every state", .after(1_000)),
        figure("engine.1000.key.uuid7", "1,000 instances, UUIDv7 keys", .flat(1_000).with(keys: .growing)),
        figure("engine.1000.key.random", "1,000 instances, random keys", .flat(1_000).with(keys: .random)),
        figure("engine.100000.key.uuid7", "100,000 instances, UUIDv7 keys", .flat(100_000).with(keys: .growing)),
        figure("engine.1000.100B", "1,000 instances, events of 100 B", .flat(1_000).with(dataBytes: 100)),
        figure(
            "engine.1000.10KiB", "1,000 instances, events of 10 KiB",
            .flat(1_000).with(dataBytes: 10_240, eventsPerSecond: 12_000)),
    ]

    private static func figure(
        _ id: String, _ title: String, _ workload: Workload, atLeast goal: Double? = nil, isQuick: Bool = false
    ) -> Figure {
        Figure(
            id: id, title: title, unit: .perSecond, goal: goal.map(Figure.Goal.ratioAtLeast), isQuick: isQuick,
            begin: { setting in try await EngineContest(workload, setting) })
    }
}
