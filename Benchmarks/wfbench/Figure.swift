import EngineFloor

/// A line of the table: something that is measured, beside its floor.
struct Figure: Sendable {
    /// Dotted, such as `engine.1000.flat`; what `--only` and the thresholds name.
    let id: String
    /// What the table shows.
    let title: String
    let unit: Unit
    /// What it must reach; nil for a line that only tells.
    let goal: Goal?
    /// Whether it is part of a quick run.
    let isQuick: Bool
    /// Prepares what is measured: files, daemons, instances. Its time does not count.
    let begin: @Sendable (Setting) async throws -> any Contest

    /// What a value counts.
    enum Unit: String, Sendable {
        case perSecond = "/s"
        case milliseconds = "ms"
        case bytes = "B"
    }

    /// What a figure must reach.
    enum Goal: Sendable {
        /// Ours divided by the floor is no less than this.
        case ratioAtLeast(Double)
        /// Ours divided by the floor is no more than this.
        case ratioAtMost(Double)
        /// Ours alone is no less than this, in the figure's unit.
        case atLeast(Double)
        /// Ours divided by the floor, and ours alone, are no less than these.
        case ratioAndValueAtLeast(Double, Double)
        /// Ours alone is no more than this, in the figure's unit.
        case atMost(Double)
    }
}
