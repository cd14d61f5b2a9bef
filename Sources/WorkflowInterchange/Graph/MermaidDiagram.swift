import Drawing
package import Statechart

/// Writes machines as Mermaid state diagrams (`stateDiagram-v2`).
package enum MermaidDiagram {
    /// Returns the diagram of a machine, with the active leaves among the given states marked. The same machine always
    /// gives the same text.
    ///
    /// States have aliases, because Mermaid's ids allow neither dots nor dashes. Transitions follow all states: inside
    /// a state, Mermaid would move the target states into it. Inside a region, transitions end at leaves.
    package static func text(of machine: Machine, active: Set<StateIndex> = []) -> String {
        var writer = MermaidWriter(machine: machine)
        writer.write(active: active)
        return writer.lines.map { $0 + "\n" }.joined()
    }
}

private struct MermaidWriter {
    let machine: Machine
    private(set) var lines = ["stateDiagram-v2"]

    mutating func write(active: Set<StateIndex>) {
        if machine.isDrawn { writeState(.root, level: 1) } else { writeMembers(of: .root, level: 1) }
        for arrow in TransitionArrow.arrows(of: machine) {
            let label = arrow.labels.map(Self.escaped).joined(separator: "<br/>")
            addArrow(alias(arrow.source), alias(machine.end(of: arrow.target)), label, level: 1)
        }
        for state in machine.states where state.isHistory {
            for target in machine.defaults(of: state.index) {
                writeArrow(alias(state.index), alias(machine.end(of: target)), "")
            }
        }
        let leaves = machine.states.filter { $0.isLeaf && active.contains($0.index) }
        guard !leaves.isEmpty else { return }
        add("classDef active fill:#ffe08a,stroke:#8a6d00,stroke-width:2px", level: 1)
        add("class " + leaves.map { alias($0.index) }.joined(separator: ",") + " active", level: 1)
    }

    private mutating func writeState(_ index: StateIndex, level: Int) {
        let state = machine[index]
        let name: String
        switch state.kind {
        case .shallowHistory, .deepHistory: name = machine.historyName(of: index)
        default: name = machine.key(of: index)
        }
        add("state \"\(Self.escaped(name))\" as \(alias(index))", level: level)
        guard state.kind == .compound || state.kind == .parallel else { return }
        add("state \(alias(index)) {", level: level)
        if state.kind == .parallel {
            writeRegions(of: index, level: level + 1)
        } else {
            writeMembers(of: index, level: level + 1)
        }
        add("}", level: level)
    }

    private mutating func writeMembers(of index: StateIndex, level: Int) {
        for member in machine.members(of: index) { writeState(member, level: level) }
        for (child, label) in machine.beginnings(of: index) { writeArrow("[*]", alias(child), label, level: level) }
        for child in machine[index].children where machine[child].kind == .final {
            writeArrow(alias(child), "[*]", "", level: level)
        }
    }

    /// Writes the regions of a parallel state. History states are in the first region, because a separate part would
    /// look like another region.
    private mutating func writeRegions(of index: StateIndex, level: Int) {
        for history in machine[index].histories { writeState(history, level: level) }
        for (offset, region) in machine[index].children.enumerated() {
            if offset > 0 { add("--", level: level) }
            writeState(region, level: level)
        }
    }

    private mutating func writeArrow(_ source: String, _ target: String, _ label: String, level: Int = 1) {
        addArrow(source, target, Self.escaped(label), level: level)
    }

    /// Adds an arrow.
    ///
    /// - Parameter label: The label, already escaped.
    private mutating func addArrow(_ source: String, _ target: String, _ label: String, level: Int) {
        add("\(source) --> \(target)" + (label.isEmpty ? "" : " : " + label), level: level)
    }

    private func alias(_ index: StateIndex) -> String {
        "s\(index.rawValue)"
    }

    private mutating func add(_ line: String, level: Int) {
        lines.append(String(repeating: "    ", count: level) + line)
    }

    /// Returns the text with unsafe characters as Mermaid entities (`#35;`; mermaid.js.org, "Entity codes"). Unsafe
    /// characters would end a name or label, begin an entity, or be read as Markdown or HTML.
    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.line(.max).unicodeScalars)
        return scalars.indices.map { offset in
            switch scalars[offset] {
            case "\"", "#", ":", ";", "<", ">", "{", "}", "&", "%", "\\", "`", "*", "~", "$": entity(scalars[offset])
            // An underscore between letters does not mark emphasis.
            case "_" where !isWord(scalars, offset - 1) || !isWord(scalars, offset + 1): entity("_")
            case " " where isDirection(scalars, offset): entity(" ")
            default: String(scalars[offset])
            }
        }.joined()
    }

    /// Returns true for the space in `direction LR`. Mermaid reads any line that contains these words as a direction.
    private static func isDirection(_ scalars: [Unicode.Scalar], _ offset: Int) -> Bool {
        let lowercased = { (part: ArraySlice<Unicode.Scalar>) in String(String.UnicodeScalarView(part)).lowercased() }
        return lowercased(scalars[..<offset].suffix(9)) == "direction"
            && ["tb", "bt", "rl", "lr"].contains(lowercased(scalars[(offset + 1)...].prefix(2)))
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String {
        "#\(scalar.value);"
    }

    private static func isWord(_ scalars: [Unicode.Scalar], _ offset: Int) -> Bool {
        guard scalars.indices.contains(offset) else { return false }
        return scalars[offset].properties.isAlphabetic || ("0"..."9").contains(scalars[offset])
    }
}

extension Machine {
    /// Returns the state at which an arrow to a state ends. Below a parallel state, Mermaid 11 draws no arrow to a box
    /// (github.com/mermaid-js/mermaid, issue 4052). There the arrow ends at the initial leaf.
    fileprivate func end(of target: StateIndex) -> StateIndex {
        guard isInRegion(target) else { return target }
        var end = target
        while self[end].kind == .compound || self[end].kind == .parallel {
            let inner = self[end].initial?.targets.first ?? self[end].children.first
            guard let inner, self[end].isProperAncestor(of: inner) else { return end }
            end = inner
        }
        return end
    }

    private func isInRegion(_ state: StateIndex) -> Bool {
        var index = state
        while let parent = self[index].parent {
            if self[parent].kind == .parallel { return true }
            index = parent
        }
        return false
    }
}
