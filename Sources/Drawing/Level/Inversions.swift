/// Counts pairs that stand in the wrong order.
enum Inversions {
    /// Returns the number of pairs whose first value is larger than the second, in O(n log n).
    static func count(_ values: [Double]) -> Int {
        var values = values
        var buffer = values
        var count = 0
        var width = 1
        while width < values.count {
            var start = 0
            while start < values.count {
                count += merge(&values, &buffer, start, start + width, start + 2 * width)
                start += 2 * width
            }
            swap(&values, &buffer)
            width *= 2
        }
        return count
    }

    /// Merges two sorted ranges into the buffer, and returns how many pairs that exchanges.
    private static func merge(
        _ values: inout [Double], _ buffer: inout [Double], _ start: Int, _ middle: Int, _ end: Int
    ) -> Int {
        let middle = min(middle, values.count)
        let end = min(end, values.count)
        var (left, right, count) = (start, middle, 0)
        for place in start..<end {
            if left < middle, right >= end || values[left] <= values[right] {
                buffer[place] = values[left]
                left += 1
            } else {
                count += middle - left
                buffer[place] = values[right]
                right += 1
            }
        }
        return count
    }
}
