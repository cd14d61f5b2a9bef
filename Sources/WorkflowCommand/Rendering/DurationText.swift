import Statechart
import WorkflowTerminal

/// Durations, for people.
enum DurationText {
    /// Returns the duration: `0s`, `250ms`, `1m30s`, `3d`.
    static func text(milliseconds: Int64) -> String { DelayText.text(milliseconds: milliseconds) }

    /// Returns the duration in whole milliseconds, limited to a hundred thousand years.
    static func text(seconds: Double) -> String {
        text(milliseconds: Int64(min(max(0, seconds), 3_155_760_000_000) * 1_000))
    }

    /// Returns the two largest units, of seconds and more: `2d 7h`, `12s`, `0s`.
    static func rough(milliseconds: Int64) -> String { RoughDuration.text(milliseconds: milliseconds) }
}
