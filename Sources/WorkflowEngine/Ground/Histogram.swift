/// Counts values by ranges.
package struct Histogram: Sendable, Equatable {
    /// The upper ends of the ranges, in ascending order; one more range lies above the last.
    package let bounds: [Double]
    /// The number of values in each range; there is one more range than bounds.
    package private(set) var counts: [Int]
    package private(set) var sum: Double = 0

    package init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts a value.
    package mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// Adds the counts of a histogram with the same bounds.
    package mutating func add(_ other: Histogram) {
        for place in counts.indices where place < other.counts.count { counts[place] += other.counts[place] }
        sum += other.sum
    }

    /// Counts a time, in seconds.
    package mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        add(Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// Bounds for times, in seconds.
    package static let seconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 3_600,
    ]
    /// Bounds for numbers of rows.
    package static let rows: [Double] = [1, 10, 50, 100, 250, 500, 1_000, 2_500]
}
