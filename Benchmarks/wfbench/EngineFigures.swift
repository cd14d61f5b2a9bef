import EngineFloor

/// The figures of batches through the engine, in this process.
enum EngineFigures {
    static let figures: [Figure] =
        [
            figure("1000.flat", "1,000 instances, flat machine", .flat(1_000), isQuick: true),
            figure("100000.flat", "100,000 instances, flat machine", .flat(100_000), isQuick: true),
            figure(
                "1000.nested", "1,000 instances, nested machine with guard and assign", .nested(1_000), isQuick: true),
            figure("1000.after", "1,000 instances, a timer in every state", .after(1_000)),
            figure("1000.key.uuid7", "1,000 instances, UUIDv7 keys", .flat(1_000).with(keys: .growing)),
            figure("1000.key.random", "1,000 instances, random keys", .flat(1_000).with(keys: .random)),
            figure("100000.key.uuid7", "100,000 instances, UUIDv7 keys", .flat(100_000).with(keys: .growing)),
            figure("1000.100B", "1,000 instances, events of 100 B", .flat(1_000).with(dataBytes: 100)),
            figure("1000.16", "1,000 instances, batches of 16 as single sends make them", .flat(1_000).with(batch: 16)),
            figure("1000.64", "1,000 instances, batches of 64", .flat(1_000).with(batch: 64)),
            figure(
                "1000.10KiB", "1,000 instances, events of 10 KiB",
                .flat(1_000).with(dataBytes: 10_240, eventsPerSecond: 12_000)),
        ] + selves + disk

    /// The figures whose floor is the engine itself.
    private static let selves = [
        Figure(
            id: "engine.hot", title: "one hot instance / 1,000 instances", unit: .perSecond, goal: .ratioAtLeast(0.9),
            isQuick: true, begin: { try await EnginesContest(hot: $0) }),
        Figure(
            id: "engine.10M", title: "10 million events in the file / 10 thousand", unit: .perSecond,
            goal: .ratioAtLeast(0.9), isQuick: false, begin: { try await EnginesContest(events: 10_000_000, $0) }),
    ]

    private static let disk = [
        Figure(
            id: "disk.100B", title: "bytes on disk for an event of 100 B", unit: .bytes, goal: .atMost(300),
            isQuick: true, begin: { try await DiskContest(.flat(1_000).with(dataBytes: 100), $0) })
    ]

    private static func figure(
        _ id: String, _ title: String, _ workload: Workload, isQuick: Bool = false
    ) -> Figure {
        // The goal is set for the flat machine; the others tell what their kinds cost.
        let goal: Figure.Goal? = id.hasSuffix(".flat") ? .ratioAtLeast(0.7) : nil
        return Figure(
            id: "engine." + id, title: title, unit: .perSecond, goal: goal, isQuick: isQuick,
            begin: { setting in try await EngineContest(workload, setting) })
    }
}
