/// Gives the horizontals in a gap between two layers tracks of their own, in an order with few crossings.
enum Tracks {
    /// Returns the track of each leg, from the top; legs that lie apart share one.
    static func of(_ legs: [Leg]) -> [Int] {
        var tracks = Array(repeating: 0, count: legs.count)
        var done: [Int] = []
        for leg in order(legs) {
            for other in done where legs[other].overlaps(legs[leg]) {
                tracks[leg] = max(tracks[leg], tracks[other] + 1)
            }
            done.append(leg)
        }
        return tracks
    }

    /// Returns the legs from top to bottom: always the one that loses least by a place above all that remain.
    private static func order(_ legs: [Leg]) -> [Int] {
        guard legs.count <= DrawingLimits.comparedLegs else {
            return legs.indices.sorted { (legs[$0].left, $0) < (legs[$1].left, $1) }
        }
        func loss(_ one: Int, _ other: Int) -> Int {
            guard one != other, legs[one].overlaps(legs[other]) else { return 0 }
            return legs[one].costAbove(legs[other]) - legs[other].costAbove(legs[one])
        }
        var losses = legs.indices.map { one in legs.indices.reduce(0) { $0 + loss(one, $1) } }
        var open = Array(legs.indices)
        var order: [Int] = []
        while let next = open.min(by: { (losses[$0], $0) < (losses[$1], $1) }) {
            order.append(next)
            open.removeAll { $0 == next }
            for leg in open { losses[leg] -= loss(leg, next) }
        }
        return order
    }
}
