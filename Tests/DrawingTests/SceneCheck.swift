import Drawing
import Statechart

/// Finds faults of a drawing that a person would see: what lies on what, and what ends short.
struct SceneCheck {
    private let scene: Scene
    private(set) var faults: [String] = []

    /// Returns the faults of a scene, in words.
    static func faults(of scene: Scene) -> [String] {
        var check = SceneCheck(scene: scene)
        check.checkBoxes()
        check.checkLabels()
        check.checkNotes()
        for arrow in scene.arrows {
            check.checkEnds(of: arrow)
            check.checkHome(of: arrow)
            check.checkLines(of: arrow)
        }
        return check.faults
    }

    private init(scene: Scene) { self.scene = scene }

    private func isAround(_ box: Scene.Box, _ state: StateIndex) -> Bool {
        box.state == state || scene.machine[box.state].isProperAncestor(of: state)
    }

    private mutating func checkBoxes() {
        let paper = Scene.Frame(x: 0, y: 0, width: scene.width, height: scene.height)
        for (number, box) in scene.boxes.enumerated() {
            let outer = box.parent.map { scene.boxes[$0].frame } ?? paper
            if !outer.contains(box.frame) { faults.append("'\(box.path)' leaves its parent") }
            for other in scene.boxes[..<number] where !isAround(other, box.state) && box.frame.overlaps(other.frame) {
                faults.append("'\(box.path)' lies on '\(other.path)'")
            }
        }
        for dot in scene.dots {
            let frame = Scene.Frame(x: dot.center.x - 5, y: dot.center.y - 5, width: 10, height: 10)
            for box in scene.boxes where !box.isContainer && box.frame.overlaps(frame) {
                faults.append("the dot of '\(dot.path)' lies on '\(box.path)'")
            }
        }
    }

    private mutating func checkLabels() {
        let paper = Scene.Frame(x: 0, y: 0, width: scene.width, height: scene.height)
        let labels = scene.arrows.compactMap(\.labelFrame)
        for (number, label) in labels.enumerated() {
            if !paper.contains(label) { faults.append("the label at \(label.x), \(label.y) leaves the drawing") }
            for other in labels[..<number] where label.overlaps(other) {
                faults.append("two labels at \(label.x), \(label.y) lie on each other")
            }
            for box in scene.boxes where label.overlaps(box.frame) && !box.frame.contains(label) {
                faults.append("the label at \(label.x), \(label.y) lies on the border of '\(box.path)'")
            }
            for box in scene.boxes where label.overlaps(box.isContainer ? box.textFrame : box.frame) {
                faults.append("the label at \(label.x), \(label.y) lies on the text of '\(box.path)'")
            }
        }
    }

    /// A note lies in the part of its box that is kept free of lines and labels, and on none of the box's own texts.
    private mutating func checkNotes() {
        for box in scene.boxes {
            guard let note = box.noteFrame else { continue }
            if !box.textFrame.contains(note) { faults.append("the note of '\(box.path)' leaves its box") }
            // The widest text of a name is a quarter wider than these.
            let (name, lines) = (box.name.unicodeScalars.count * 4, box.invocations.count + (box.hidden > 0 ? 1 : 0))
            let isClear =
                box.isContainer
                ? note.x >= box.frame.x + 12 + name && note.bottom <= box.frame.y + 26
                : note.y >= box.frame.y + 24 + lines * 14 && note.bottom <= box.frame.bottom - 6
            if !isClear { faults.append("the note of '\(box.path)' lies on its text") }
        }
    }

    private mutating func checkEnds(of arrow: Scene.Arrow) {
        let name = "the arrow from \(arrow.source.rawValue) to \(arrow.target.rawValue)"
        guard let first = arrow.points.first, let last = arrow.points.last, arrow.points.count > 1,
            let source = scene.boxes.first(where: { $0.state == arrow.source }),
            let target = scene.boxes.first(where: { $0.state == arrow.target })
        else {
            faults.append("\(name) has no line")
            return
        }
        let isInitial = arrow.transitions.isEmpty && !arrow.isFallback
        let isAtDot = scene.dots.contains { $0.center.x == first.x && $0.center.y + 6 == first.y }
        if isInitial ? !isAtDot : !source.frame.hasOnBorder(first) { faults.append("\(name) begins short") }
        if !target.frame.hasOnBorder(last) { faults.append("\(name) ends short") }
    }

    /// An arrow stays inside of the innermost box that is around both ends.
    private mutating func checkHome(of arrow: Scene.Arrow) {
        let isLoop = arrow.source == arrow.target
        let around = scene.boxes.last { box in
            isAround(box, arrow.source) && isAround(box, arrow.target) && !(isLoop && box.state == arrow.source)
        }
        guard let frame = around?.frame else { return }
        for point in arrow.points where !frame.contains(Scene.Frame(x: point.x, y: point.y, width: 0, height: 0)) {
            faults.append("the arrow from \(arrow.source.rawValue) to \(arrow.target.rawValue) leaves its home")
        }
    }

    private mutating func checkLines(of arrow: Scene.Arrow) {
        let name = "the arrow from \(arrow.source.rawValue) to \(arrow.target.rawValue)"
        for (one, other) in zip(arrow.points, arrow.points.dropFirst()) {
            if one.x != other.x, one.y != other.y { faults.append("\(name) is oblique") }
            let line = Scene.Frame(
                x: min(one.x, other.x), y: min(one.y, other.y), width: abs(one.x - other.x),
                height: abs(one.y - other.y))
            for box in scene.boxes {
                let isOwn = isAround(box, arrow.source) || isAround(box, arrow.target)
                if !(box.isContainer && isOwn), box.frame.isCrossed(by: line) {
                    faults.append("\(name) crosses '\(box.path)'")
                } else if box.textFrame.isCrossed(by: line) {
                    faults.append("\(name) crosses the name of '\(box.path)'")
                }
            }
            for foreign in scene.arrows where foreign.source != arrow.source || foreign.target != arrow.target {
                guard let label = foreign.labelFrame, label.isCrossed(by: line) else { continue }
                faults.append("\(name) crosses a label at \(label.x), \(label.y)")
            }
        }
    }
}

extension Scene.Box {
    /// True for a box with boxes inside.
    var isContainer: Bool { head > 0 }
}

extension Scene.Frame {
    /// Returns true if another frame lies within this one.
    func contains(_ other: Scene.Frame) -> Bool {
        x <= other.x && other.right <= right && y <= other.y && other.bottom <= bottom
    }

    /// Returns true if two frames have area in common.
    func overlaps(_ other: Scene.Frame) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }

    /// Returns true if a line runs through the inside.
    func isCrossed(by line: Scene.Frame) -> Bool {
        x < line.right && line.x < right && y < line.bottom && line.y < bottom
            || line.width == 0 && x < line.x && line.x < right && y < line.bottom && line.y < bottom
            || line.height == 0 && y < line.y && line.y < bottom && x < line.right && line.x < right
    }

    /// Returns true for a point on the border.
    func hasOnBorder(_ point: Scene.Point) -> Bool {
        let isWithin = (x...right).contains(point.x) && (y...bottom).contains(point.y)
        return isWithin && (point.x == x || point.x == right || point.y == y || point.y == bottom)
    }
}
