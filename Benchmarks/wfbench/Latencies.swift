import EngineFloor
import Histogram

/// Latencies in nanoseconds, to three digits, up to a minute.
struct Latencies {
    private var histogram = Histogram<UInt64>(highestTrackableValue: 60_000_000_000)

    var count: Int { Int(histogram.totalCount) }

    /// Adds a latency.
    mutating func record(_ nanoseconds: UInt64) {
        histogram.record(nanoseconds)
    }

    /// Adds all latencies of another measurement.
    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    /// Returns a percentile in milliseconds.
    func milliseconds(_ percentile: Double) -> Double {
        Double(histogram.valueAtPercentile(percentile)) / 1e6
    }

    var percentilesText: String {
        "p50 \(milliseconds(50).text(3)) p99 \(milliseconds(99).text(3)) p99.9 \(milliseconds(99.9).text(3)) ms"
    }
}
