import Drawing
package import Statechart

/// Writes machines as graphs in Graphviz's language DOT.
package enum GraphvizDiagram {
    /// Returns the graph of a machine. States with child states are clusters, and the given active states are filled.
    /// The same machine always gives the same text.
    package static func text(of machine: Machine, active: Set<StateIndex> = []) -> String {
        var writer = GraphvizWriter(machine: machine, active: active)
        writer.write()
        return writer.lines.map { $0 + "\n" }.joined()
    }
}

private struct GraphvizWriter {
    let machine: Machine
    let active: Set<StateIndex>
    private(set) var lines: [String] = []

    mutating func write() {
        add("digraph \(Self.quoted(machine.name)) {", level: 0)
        // `compound` lets arrows end at clusters.
        add("compound=true", level: 1)
        // Without `newrank`, Graphviz cannot lay out some graphs with arrows between clusters ("trouble in init_rank").
        add("newrank=true", level: 1)
        add("fontname=\"Helvetica\"", level: 1)
        if !machine.isDrawn {
            add("label=\(Self.quoted(machine.name))", level: 1)
            add("labelloc=t", level: 1)
        }
        add("node [fontname=\"Helvetica\", shape=box, style=\"rounded\"]", level: 1)
        add("edge [fontname=\"Helvetica\", fontsize=10]", level: 1)
        if machine.isDrawn { writeState(.root, level: 1) } else { writeMembers(of: .root, level: 1) }
        for arrow in TransitionArrow.arrows(of: machine) { writeArrow(arrow.source, arrow.target, arrow.labels) }
        for state in machine.states where state.isHistory {
            for target in machine.defaults(of: state.index) { writeArrow(state.index, target, [], "style=dashed") }
        }
        add("}", level: 0)
    }

    private mutating func writeState(_ index: StateIndex, level: Int) {
        let state = machine[index]
        guard state.kind == .compound || state.kind == .parallel else {
            add(node(index) + " [" + attributes(of: state).joined(separator: ", ") + "]", level: level)
            return
        }
        add("subgraph \(cluster(index)) {", level: level)
        add("label=\(Self.quoted(machine.key(of: index)))", level: level + 1)
        let isRegion = state.parent.map { machine[$0].kind == .parallel } ?? false
        var style = isRegion ? "rounded,dashed" : "rounded"
        if active.contains(index) {
            style += ",filled"
            add("fillcolor=\"#fff6dd\"", level: level + 1)
        }
        add("style=\"\(style)\"", level: level + 1)
        // Arrows of the cluster begin and end at this point.
        add("\(node(index)) [shape=point, style=invis, width=0, height=0]", level: level + 1)
        writeMembers(of: index, level: level + 1)
        add("}", level: level)
    }

    private func attributes(of state: State) -> [String] {
        var attributes: [String]
        var isRounded = false
        switch state.kind {
        case .shallowHistory, .deepHistory:
            attributes = ["shape=circle", "label=\(Self.quoted(machine.historyName(of: state.index)))"]
        case .final: attributes = ["shape=doublecircle", "label=\(Self.quoted(machine.key(of: state.index)))"]
        default:
            attributes = ["label=\(Self.quoted(machine.key(of: state.index)))"]
            isRounded = true
        }
        if active.contains(state.index) {
            attributes += ["style=\"\(isRounded ? "rounded,filled" : "filled")\"", "fillcolor=\"#ffe08a\""]
        } else if !isRounded {
            attributes.append("style=solid")
        }
        return attributes
    }

    private mutating func writeMembers(of index: StateIndex, level: Int) {
        for member in machine.members(of: index) { writeState(member, level: level) }
        let beginnings = machine.beginnings(of: index)
        guard !beginnings.isEmpty else { return }
        let dot = "i\(index.rawValue)"
        add("\(dot) [shape=point, width=0.12, style=filled]", level: level)
        for (child, label) in beginnings {
            let attributes = [labelled([label].filter { !$0.isEmpty }), headed(child)].compactMap { $0 }
            add("\(dot) -> \(node(child))" + Self.list(attributes), level: level)
        }
    }

    /// Writes an arrow. An arrow that begins in a cluster cannot end at its border, and the reverse.
    private mutating func writeArrow(
        _ source: StateIndex, _ target: StateIndex, _ labels: [String], _ style: String? = nil
    ) {
        let isInside = source == target || machine[target].isProperAncestor(of: source)
        let isOutside = source == target || machine[source].isProperAncestor(of: target)
        let attributes = [
            labelled(labels), style, isOutside || !isCluster(source) ? nil : "ltail=\(cluster(source))",
            isInside ? nil : headed(target),
        ]
        add("\(node(source)) -> \(node(target))" + Self.list(attributes.compactMap { $0 }), level: 1)
    }

    /// Returns the label attribute. Each label has its own line, aligned left.
    private func labelled(_ labels: [String]) -> String? {
        guard labels.count > 1 else { return labels.first.map { "label=\(Self.quoted($0))" } }
        return "label=\"" + labels.map { Self.escaped($0) + "\\l" }.joined() + "\""
    }

    private func headed(_ target: StateIndex) -> String? {
        isCluster(target) ? "lhead=\(cluster(target))" : nil
    }

    private func isCluster(_ index: StateIndex) -> Bool {
        machine[index].kind == .compound || machine[index].kind == .parallel
    }

    private func node(_ index: StateIndex) -> String { "s\(index.rawValue)" }

    private func cluster(_ index: StateIndex) -> String { "cluster_s\(index.rawValue)" }

    private mutating func add(_ line: String, level: Int) {
        lines.append(String(repeating: "    ", count: level) + line)
    }

    private static func list(_ attributes: [String]) -> String {
        attributes.isEmpty ? "" : " [" + attributes.joined(separator: ", ") + "]"
    }

    /// Returns a string of DOT. Labels also interpret escapes and HTML entities.
    private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

    private static func escaped(_ text: String) -> String {
        let escaped = text.line(.max).unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "&": "&amp;"
            default: String(scalar)
            }
        }
        return escaped.joined()
    }
}
