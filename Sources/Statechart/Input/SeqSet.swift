/// A set of an instance's macrosteps, as a person writes them: `3,7-9`.
package struct SeqSet: Sendable, Equatable {
    /// The most ranges in a set.
    package static let bound = 200

    /// The ranges in order; adjacent ranges are joined.
    package private(set) var ranges: [ClosedRange<Int64>]

    /// - Precondition: Each range begins at 1 or above.
    package init(_ ranges: [ClosedRange<Int64>] = []) {
        precondition(ranges.allSatisfy { $0.lowerBound >= 1 }, "the first macrostep is 1")
        var joined: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = joined.last, range.lowerBound <= last.upperBound &+ 1 else {
                joined.append(range)
                continue
            }
            joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
        self.ranges = joined
    }

    /// Reads `3,7-9`; returns `nil` for anything else, and for more than `bound` ranges.
    package init?(_ text: String) {
        var ranges: [ClosedRange<Int64>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            let numbers = ends.compactMap { $0.utf8.allSatisfy(Self.isDigit) ? Int64($0) : nil }
            guard numbers.count == ends.count, let first = numbers.first, let last = numbers.last,
                numbers.count <= 2, 1 <= first, first <= last, ranges.count < Self.bound
            else { return nil }
            ranges.append(first...last)
        }
        self.init(ranges)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    package var isEmpty: Bool { ranges.isEmpty }
    package var first: Int64? { ranges.first?.lowerBound }
    package var last: Int64? { ranges.last?.upperBound }

    /// - Complexity: Logarithmic in the number of ranges.
    package func contains(_ seq: Int64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < seq { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(seq)
    }

    /// Returns the macrosteps that are also in a range.
    package func within(_ range: ClosedRange<Int64>) -> SeqSet {
        SeqSet(ranges.filter { $0.overlaps(range) }.map { $0.clamped(to: range) })
    }

    /// The text that `init(_:)` reads.
    package var text: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }

    /// The text for people: `3, 7 to 9`.
    package var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
            .joined(separator: ", ")
    }
}

extension SeqSet: CustomStringConvertible {}
