/// Places things in a row near the places that they want, in their order and with distances between them.
enum IsotonicRegression {
    /// Returns the places with the smallest weighted sum of squared distances from the wanted ones.
    ///
    /// The algorithm pools adjacent violators, in O(n) (Barlow et al., "Statistical inference under order
    /// restrictions", 1972).
    ///
    /// - Parameters:
    ///   - gaps: The smallest distances between neighbors; one fewer than places.
    ///   - bounds: The range of the places; it has room for the gaps.
    static func places(
        wanted: [Double], weights: [Double], gaps: [Double], bounds: ClosedRange<Double>? = nil
    ) -> [Double] {
        var offsets = [0.0]
        for gap in gaps { offsets.append(offsets[offsets.count - 1] + gap) }
        var blocks: [(mean: Double, weight: Double, count: Int)] = []
        for (place, want) in wanted.enumerated() {
            blocks.append((want - offsets[place], weights[place], 1))
            while blocks.count > 1, blocks[blocks.count - 2].mean > blocks[blocks.count - 1].mean {
                let right = blocks.removeLast()
                let left = blocks.removeLast()
                let weight = left.weight + right.weight
                let mean = (left.mean * left.weight + right.mean * right.weight) / weight
                blocks.append((mean, weight, left.count + right.count))
            }
        }
        let means = blocks.flatMap { Array(repeating: $0.mean, count: $0.count) }
        guard let bounds else { return zip(means, offsets).map { $0 + $1 } }
        // The bounded solution is the other one, cut off at the bounds.
        let last = max(bounds.lowerBound, bounds.upperBound - offsets[offsets.count - 1])
        return zip(means, offsets).map { min(max($0, bounds.lowerBound), last) + $1 }
    }
}
