import Drawing

/// Counts how often the lines of different arrows cross.
enum Crossings {
    /// A point of a line.
    typealias Point = (x: Double, y: Double)

    /// Returns the crossings in a scene.
    static func count(in scene: Scene) -> Int {
        count(scene.arrows.map { $0.points.map { (Double($0.x), Double($0.y)) } })
    }

    /// Returns the crossings of lines, each given by its corners.
    static func count(_ lines: [[Point]]) -> Int {
        lines.indices.reduce(0) { sum, place in
            sum + lines[..<place].reduce(0) { $0 + count(lines[place], $1) }
        }
    }

    private static func count(_ one: [Point], _ other: [Point]) -> Int {
        zip(one, one.dropFirst()).reduce(0) { sum, segment in
            sum + zip(other, other.dropFirst()).count { cross(segment.0, segment.1, $0, $1) }
        }
    }

    /// Returns true if two segments have one point in common that is an end of neither.
    private static func cross(_ a: Point, _ b: Point, _ c: Point, _ d: Point) -> Bool {
        func side(_ p: Point, _ q: Point, _ r: Point) -> Double {
            (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
        }
        return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
    }
}
