/// The horizontal part of a line in the gap between two layers, with its vertical ends.
struct Leg {
    /// An end, from which a vertical line leads up or down to the next layer.
    struct End {
        let x: Double
        let isUp: Bool
    }

    let chain: Int
    let ends: [End]

    var left: Double { min(ends[0].x, ends[1].x) }
    var right: Double { max(ends[0].x, ends[1].x) }

    /// Returns true if two horizontals would touch on one track.
    func overlaps(_ other: Leg) -> Bool { left - 7 < other.right && other.left - 7 < right }

    /// Returns the disadvantage of a place above another leg: one for each crossing, many for lines on each other.
    func costAbove(_ other: Leg) -> Int {
        var cost = 0
        for end in ends where !end.isUp {
            if other.left < end.x, end.x < other.right { cost += 1 }
            if other.ends.contains(where: { $0.isUp && abs($0.x - end.x) < 4 }) { cost += 50 }
        }
        for end in other.ends where end.isUp && left < end.x && end.x < right { cost += 1 }
        return cost
    }
}
