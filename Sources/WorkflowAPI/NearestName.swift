/// Finds the name that somebody probably meant.
public enum NearestName {
    /// Longer names are not compared; the cost of a comparison is the product of the lengths.
    private static let longestCompared = 64

    /// The candidate nearest to a name, the first of equals; nil when none is near.
    ///
    /// Near is at most one insertion, deletion, replacement or swap of neighbours for every three characters, at
    /// least one; upper and lower case count as the same.
    public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= longestCompared else { return nil }
        var nearest: (name: String, distance: Int)?
        for candidate in candidates {
            let scalars = Array(candidate.lowercased().unicodeScalars)
            guard !scalars.isEmpty, scalars.count <= longestCompared else { continue }
            let bound = max(1, max(wanted.count, scalars.count) / 3)
            guard abs(wanted.count - scalars.count) <= bound else { continue }
            let distance = distance(wanted, scalars)
            guard distance <= bound, distance < min(wanted.count, scalars.count) else { continue }
            if distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
        }
        return nearest?.name
    }

    /// Optimal string alignment distance.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
