import EngineFloor

/// A line of the table: a measured value beside its floor.
struct Figure: Sendable {
    /// The dotted id, such as `engine.1000.flat`, which `--only` and the thresholds name.
    let id: String
    /// The title in the table.
    let title: String
    let unit: Unit
    /// The goal; `nil` for a line without one.
    let goal: Goal?
    /// True if the figure is part of a quick run.
    let isQuick: Bool
    /// Prepares files, daemons and instances. Its time does not count.
    let begin: @Sendable (Setting) async throws -> any Contest

    /// The unit of a value.
    enum Unit: String, Sendable {
        case perSecond = "/s"
        case milliseconds = "ms"
        case microseconds = "µs"
        case bytes = "B"
    }

    /// The goal of a figure.
    enum Goal: Sendable {
        /// Our value divided by the floor is at least this.
        case ratioAtLeast(Double)
        /// Our value divided by the floor is at most this.
        case ratioAtMost(Double)
        /// Our value is at least this, in the figure's unit.
        case atLeast(Double)
        /// Our value divided by the floor, and our value, are at least these.
        case ratioAndValueAtLeast(Double, Double)
        /// Our value is at most this, in the figure's unit.
        case atMost(Double)
    }
}
