/// Counts durations, to find percentiles in a fixed number of bytes.
///
/// Durations below 16 ms have a range each. Above, each power of two has 16 ranges of equal width. So a percentile is
/// at most 1/32 (3.2 %) off. All durations above 139 years are in the last range.
package struct DurationSketch: Sendable, Equatable {
    /// The number of ranges per power of two, as a power of two.
    private static let bits = 4
    private static let longest: Int64 = (1 << 42) - 1
    private static let ranges = range(of: longest) + 1
    /// The greatest number of bytes of a sketch.
    package static let bytes = ranges * MemoryLayout<UInt32>.stride

    /// The number of durations in each range; empty before the first.
    private var counts: [UInt32] = []
    /// The number of durations.
    package private(set) var count: Int64 = 0
    private var shortest: Int64 = longest
    private var longest: Int64 = 0

    package init() {}

    /// Counts a duration; a negative one counts as 0.
    package mutating func add(milliseconds: Int64) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.ranges) }
        let length = min(max(0, milliseconds), Self.longest)
        let range = Self.range(of: length)
        guard counts[range] < .max else { return }
        shortest = min(shortest, length)
        longest = max(longest, length)
        counts[range] += 1
        count += 1
    }

    /// Returns the duration in milliseconds that `percent` of the durations do not exceed; `nil` if there are none.
    package func milliseconds(ofPercent percent: Int64) -> Int64? {
        guard count > 0 else { return nil }
        var rest = max(1, (count * percent + 99) / 100)
        for (range, number) in counts.enumerated() {
            rest -= Int64(number)
            if rest <= 0 { return min(max(Self.middle(of: range), shortest), longest) }
        }
        return longest
    }

    private static func range(of milliseconds: Int64) -> Int {
        if milliseconds < 1 << bits { return Int(milliseconds) }
        let shift = Int64.bitWidth - 1 - milliseconds.leadingZeroBitCount - bits
        return shift << bits + Int(milliseconds >> Int64(shift))
    }

    /// Returns the middle of a range, which is exact below 32 ms.
    private static func middle(of range: Int) -> Int64 {
        let shift = max(0, range >> bits - 1)
        return Int64(range - shift << bits) << Int64(shift) + (1 << Int64(shift)) / 2
    }
}
