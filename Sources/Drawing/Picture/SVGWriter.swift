import Statechart

/// Writes a scene as SVG (W3C, "Scalable Vector Graphics 2").
struct SVGWriter {
    private let scene: Scene
    private let active: Set<StateIndex>
    private let taken: Set<TransitionIndex>
    private let counting: (([TransitionIndex]) -> SceneCount)?
    private let style: SVGStyle
    private var text = ""

    private static let fonts = "DejaVu Sans,Verdana,Helvetica,Arial,sans-serif"

    init(
        _ scene: Scene, active: Set<StateIndex>, taken: Set<TransitionIndex>,
        counting: (([TransitionIndex]) -> SceneCount)?, style: SVGStyle
    ) {
        self.scene = scene
        self.active = active
        self.taken = taken
        self.counting = counting
        self.style = style
    }

    /// Returns the picture.
    mutating func picture(notes: [StateIndex: SceneNote], opening: ((Scene.Box) -> String)?) -> String {
        let size = "\(scene.width) \(scene.height)"
        add(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"statechart\" viewBox=\"0 0 \(size)\" "
                + "width=\"\(scene.width)\" height=\"\(scene.height)\" role=\"group\" "
                + "font-family=\"\(Self.fonts)\" font-size=\"12\">")
        add("<title>\(XMLText.escaped(ShownText.line(scene.machine.name, DrawingLimits.tooltip)))</title>")
        add("<desc>\(XMLText.escaped(description))</desc>")
        if case .embedded = style {
            add("<style>\n\(SVGStyle.sheet)\n</style>")
            add("<rect class=\"paper\" width=\"\(scene.width)\" height=\"\(scene.height)\"/>")
        }
        for box in scene.boxes { add(box) }
        for dot in scene.dots {
            add("<circle class=\"dot\" cx=\"\(dot.center.x)\" cy=\"\(dot.center.y)\" r=\"5\"/>")
        }
        for arrow in scene.arrows { add(arrow) }
        // A state has the role of an image, inside of which there are no links. So they follow the states.
        for box in scene.boxes {
            if let opening, box.hidden > 0 { addOpening(of: box, opening(box)) }
            if let frame = box.noteFrame, let note = notes[box.state] { add(note, of: box, in: frame) }
        }
        add("</svg>")
        return text
    }

    private var description: String {
        let machine = scene.machine
        let counts = "\(machine.states.count - 1) states, \(machine.transitions.count) transitions"
        guard let own = machine.description else { return counts }
        return ShownText.line(own, DrawingLimits.tooltip) + " (\(counts))"
    }

    private mutating func add(_ line: String) { text += line + "\n" }

    // MARK: States

    private mutating func add(_ box: Scene.Box) {
        let isActive = box.parent != nil && isActive(box)
        var classes = ["state", box.kind.rawValue]
        if box.isRegion { classes.append("region") }
        if isActive { classes.append("active") }
        let path = XMLText.escaped(ShownText.line(box.path, DrawingLimits.tooltip))
        add(
            "<g class=\"\(classes.joined(separator: " "))\" data-state=\"\(path)\" tabindex=\"0\" role=\"img\" "
                + "aria-label=\"\(XMLText.escaped(name(of: box)))\">")
        add(rectangle(box.frame, "box", radius: box.kind == .history || box.kind == .deepHistory ? 13 : 9))
        if box.kind == .final { add(rectangle(box.frame.inset(3), "inner", radius: 7)) }
        if box.head > 0 {
            add("<path class=\"rule\" d=\"M\(box.frame.x) \(box.frame.y + box.head) h\(box.frame.width)\"/>")
        }
        addTexts(of: box)
        add("</g>")
    }

    private func isActive(_ box: Scene.Box) -> Bool {
        active.contains(box.state) || (box.hidden > 0 && activeStates(in: box) > 0)
    }

    /// Returns the number of active leaves inside a folded box.
    private func activeStates(in box: Scene.Box) -> Int {
        active.count { scene.machine[box.state].isProperAncestor(of: $0) && scene.machine[$0].isLeaf }
    }

    /// Returns the name for people who hear the picture.
    private func name(of box: Scene.Box) -> String {
        let path = box.parent == nil ? scene.machine.name : box.path
        let kind = box.kind == .atomic ? "" : box.kind == .folded ? ", folded" : ", \(box.kind.rawValue)"
        return ShownText.line("\(box.parent == nil ? "machine" : "state") \(path)\(kind)", DrawingLimits.tooltip)
    }

    private mutating func addTexts(of box: Scene.Box) {
        let frame = box.frame
        let lines = box.invocations.count + box.references.count + (box.hidden > 0 ? 1 : 0)
        var y = frame.y + 18
        if box.head > 0 {
            add(text(box.name, at: Scene.Point(x: frame.x + 12, y: y), " font-weight=\"600\""))
        } else {
            let isHistory = box.kind == .history || box.kind == .deepHistory
            let below = lines * TextMetrics.line + (box.noteFrame == nil ? 0 : SceneNote.line)
            y = frame.y + (frame.height - below) / 2 + 4
            let center = Scene.Point(x: frame.x + frame.width / 2, y: y)
            add(text(box.name, at: center, " text-anchor=\"middle\"" + (isHistory ? " font-size=\"10.5\"" : "")))
        }
        for line in box.invocations {
            y += TextMetrics.line
            addDetail(line, at: Scene.Point(x: frame.x + 12, y: y), sign: Self.bolt)
        }
        for line in box.references {
            y += TextMetrics.line
            let count = counting.map { ": \($0(line.transitions).shown)" } ?? ""
            addDetail(line.text + count, at: Scene.Point(x: frame.x + 12, y: y), sign: "", line.transitions)
        }
        guard box.hidden > 0 else { return }
        let count = Caption.count(hidden: box.hidden, active: activeStates(in: box))
        addDetail(
            count, at: Scene.Point(x: frame.x + 12, y: y + TextMetrics.line), sign: Self.plus, box.hiddenTransitions)
    }

    /// - Parameter transitions: The transitions that the line stands for, which light it.
    private mutating func addDetail(
        _ line: String, at point: Scene.Point, sign: String, _ transitions: [TransitionIndex] = []
    ) {
        if !sign.isEmpty { add("<path class=\"sign\" d=\"M\(point.x) \(point.y)\(sign)\"/>") }
        let place = Scene.Point(x: point.x + Caption.sign, y: point.y)
        let attributes = " class=\"detail\(lit(transitions))\" font-size=\"10.5\"" + numbers(of: transitions)
        add(text(line, at: place, attributes))
    }

    // MARK: Links

    private mutating func addOpening(of box: Scene.Box, _ address: String) {
        var frame = box.frame
        frame.height = (box.noteFrame?.y ?? frame.bottom) - frame.y
        addLink("opening", to: address, "Open the \(box.hidden) states in \(box.path)")
        add(rectangle(frame, "room", radius: 9))
        add("</a>")
    }

    private mutating func add(_ note: SceneNote, of box: Scene.Box, in frame: Scene.Frame) {
        addLink(note.isBad ? "badge grave" : "badge", to: note.address, "\(box.path): \(note.title)")
        add(rectangle(frame, "room", radius: 8))
        let place = Scene.Point(x: frame.x + frame.width / 2, y: frame.y + 12)
        add(text(note.shown, at: place, " text-anchor=\"middle\" font-size=\"10.5\""))
        add("</a>")
    }

    private mutating func addLink(_ name: String, to address: String, _ title: String) {
        let title = XMLText.escaped(ShownText.line(title, DrawingLimits.tooltip))
        add("<a class=\"\(name)\" href=\"\(XMLText.escaped(address))\"><title>\(title)</title>")
    }

    // MARK: Signs

    /// Signs, drawn because fonts lack them; they begin at the left end of the text's base line.
    private static let bolt = "m5 -9 l-4 5 h3 l-1 4 l5 -6 h-3 z"
    private static let plus = "m0 0 v-9 h9 v9 z m4.5 -7.5 v6 m-3 -3 h6"
    private static let clock = "m0 -4 a4.5 4.5 0 1 1 9 0 a4.5 4.5 0 1 1 -9 0 m4.5 -3 v3 h2.5"

    // MARK: Transitions

    private mutating func add(_ arrow: Scene.Arrow) {
        let machine = scene.machine
        let kind = arrow.transitions.isEmpty ? arrow.isFallback ? "fallback" : "initial" : "transition"
        var attributes = "class=\"\(kind)\(lit(arrow.transitions))\""
        let source = XMLText.escaped(machine[arrow.source].path)
        attributes += " data-source=\"\(source)\" data-target=\"\(XMLText.escaped(machine[arrow.target].path))\""
        if !arrow.transitions.isEmpty {
            let lines = arrow.transitions.map { String(machine[$0].line) }.joined(separator: " ")
            attributes += "\(numbers(of: arrow.transitions)) data-lines=\"\(lines)\""
        }
        add("<g \(attributes)>")
        let count = arrow.label.hasCount ? counting?(arrow.transitions) : nil
        let titles = (arrow.label.titles + (count.map { [$0.title] } ?? [])).map { XMLText.escaped($0) }
        if !titles.isEmpty { add("<title>\(titles.joined(separator: "&#10;"))</title>") }
        add("<path class=\"line\" d=\"\(SVGPath.line(arrow.points))\"/>")
        add("<path class=\"head\" d=\"\(SVGPath.head(arrow.points))\"/>")
        if let frame = arrow.labelFrame { addLabel(arrow.label, count, in: frame) }
        add("</g>")
    }

    private mutating func addLabel(_ label: ArrowLabel, _ count: SceneCount?, in frame: Scene.Frame) {
        add("<g class=\"label\" font-size=\"10.5\">")
        add(rectangle(frame.inset(2), "plate", radius: 3))
        for (number, line) in label.lines.enumerated() {
            let left = label.lines.count == 1 ? (frame.width - line.width) / 2 : 6
            var place = Scene.Point(x: frame.x + left, y: frame.y + 14 + number * TextMetrics.line)
            if line.hasClock {
                add("<path class=\"sign\" d=\"M\(place.x) \(place.y)\(Self.clock)\"/>")
                place.x += ArrowLabel.Line.clock
            }
            add(text(line.text, at: place, ""))
        }
        if let count {
            let y = frame.y + 14 + label.lines.count * TextMetrics.line
            let place = Scene.Point(x: frame.x + frame.width / 2, y: y)
            add(text(count.shown, at: place, " class=\"count\" text-anchor=\"middle\""))
        }
        add("</g>")
    }

    /// Returns the class of what stands for transitions of which one was taken.
    private func lit(_ transitions: [TransitionIndex]) -> String {
        transitions.contains(where: taken.contains) ? " taken" : ""
    }

    /// Returns the attribute with the numbers of transitions; nothing for none.
    private func numbers(of transitions: [TransitionIndex]) -> String {
        if transitions.isEmpty { return "" }
        return " data-transitions=\"\(transitions.map { String($0.rawValue) }.joined(separator: " "))\""
    }

    // MARK: Elements

    private func rectangle(_ frame: Scene.Frame, _ name: String, radius: Int) -> String {
        "<rect class=\"\(name)\" x=\"\(frame.x)\" y=\"\(frame.y)\" width=\"\(frame.width)\" "
            + "height=\"\(frame.height)\" rx=\"\(radius)\"/>"
    }

    private func text(_ text: String, at point: Scene.Point, _ attributes: String) -> String {
        "<text x=\"\(point.x)\" y=\"\(point.y)\"\(attributes)>\(XMLText.escaped(text))</text>"
    }
}

extension Scene.Frame {
    /// Returns the frame, smaller by a distance on each side.
    fileprivate func inset(_ distance: Int) -> Scene.Frame {
        Scene.Frame(x: x + distance, y: y + distance, width: width - 2 * distance, height: height - 2 * distance)
    }
}
