/// Paths of pictures: lines with round corners, and heads of arrows.
enum SVGPath {
    private static let radius = 8
    /// The length of a head; the line ends inside of it.
    private static let head = 7

    /// Returns a line along points, with round corners. The line ends inside of the arrow's head.
    static func line(_ points: [Scene.Point]) -> String {
        guard let first = points.first else { return "" }
        var points = points
        if let (last, from) = end(of: points) {
            points[points.count - 1] = toward(from, last, distance(from, last) - min(4, distance(from, last) / 2))
        }
        var path = "M\(text(first))"
        for place in points.indices.dropFirst().dropLast() {
            let corner = points[place]
            let before = toward(corner, points[place - 1], min(radius, distance(corner, points[place - 1]) / 2))
            let after = toward(corner, points[place + 1], min(radius, distance(corner, points[place + 1]) / 2))
            path += " L\(text(before)) Q\(text(corner)) \(text(after))"
        }
        if points.count > 1 { path += " L\(text(points[points.count - 1]))" }
        return path
    }

    /// Returns the head at the end of a line.
    static func head(_ points: [Scene.Point]) -> String {
        guard let (last, from) = end(of: points) else { return "" }
        let (x, y) = ((last.x - from.x).signum(), (last.y - from.y).signum())
        let base = Scene.Point(x: last.x - x * head, y: last.y - y * head)
        let one = Scene.Point(x: base.x + y * 4, y: base.y + x * 4)
        let other = Scene.Point(x: base.x - y * 4, y: base.y - x * 4)
        return "M\(text(last)) L\(text(one)) L\(text(other)) Z"
    }

    private static func end(of points: [Scene.Point]) -> (Scene.Point, from: Scene.Point)? {
        points.count < 2 ? nil : (points[points.count - 1], points[points.count - 2])
    }

    private static func text(_ point: Scene.Point) -> String { "\(point.x) \(point.y)" }

    private static func distance(_ one: Scene.Point, _ other: Scene.Point) -> Int {
        abs(one.x - other.x) + abs(one.y - other.y)
    }

    /// Returns the point at a distance from a point on the way to another one, which is horizontal or vertical.
    private static func toward(_ start: Scene.Point, _ end: Scene.Point, _ distance: Int) -> Scene.Point {
        Scene.Point(
            x: start.x + (end.x - start.x).signum() * distance, y: start.y + (end.y - start.y).signum() * distance)
    }
}
