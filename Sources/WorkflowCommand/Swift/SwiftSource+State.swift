import Statechart

extension SwiftSource {
    /// Writes `State`: names if all states are at the top or too many, else a value whose cases have the states below.
    func writeState(to writer: inout SwiftWriter) {
        let states = machine.states.dropFirst()
        let names = states.map { (name: naming.paths[$0.index.offset], raw: $0.path) }
        let isFlat = machine[.root].kind == .compound && states.allSatisfy { $0.parent == .root && !$0.isHistory }
        let levels = states.map { level(of: $0.index) }.max() ?? 0
        if isFlat || states.count > Bounds.valueStates || levels > Bounds.valueLevels {
            let descriptions = Array(naming.descriptions.dropFirst())
            return writeNames("State", "MachineState", names, descriptions: descriptions, to: &writer)
        }
        writeType("State", of: .root, "StateValue, Decodable, Hashable", to: &writer) { writer in
            writer.line()
            writeNames("Name", "MachineState", names, to: &writer)
        }
    }

    private func level(of state: StateIndex) -> Int {
        machine[state].parent.map { level(of: $0) + 1 } ?? 0
    }

    /// Returns true if the active states inside a state can vary.
    private func hasChoice(_ state: StateIndex) -> Bool {
        switch machine[state].kind {
        case .compound: true
        case .parallel: !regions(of: state).isEmpty
        case .atomic, .final, .shallowHistory, .deepHistory: false
        }
    }

    /// Returns the regions that have a value.
    private func regions(of state: StateIndex) -> [StateIndex] { machine[state].children.filter(hasChoice) }

    /// Writes the type of the active states inside a state.
    private func writeType(
        _ type: String, of state: StateIndex, _ conformances: String, to writer: inout SwiftWriter,
        _ more: (inout SwiftWriter) -> Void = { _ in }
    ) {
        let scope = StateTypeScope(state, of: self)
        let isStruct = machine[state].kind == .parallel
        let hasValues = machine[state].children.contains(where: hasChoice)
        let head = isStruct ? "struct \(type): " : hasValues ? "enum \(type): " : "enum \(type): String, "
        writer.block(access + head + conformances) { writer in
            let children = isStruct ? regions(of: state) : machine[state].children
            if isStruct {
                let properties = children.map { region in
                    (name: naming.states[region.offset], type: scope[region], value: String?.none)
                }
                writer.properties(properties, word: "let", access: access)
            } else {
                for child in children {
                    writer.comment(naming.descriptions[child.offset])
                    writeCase(child, isRaw: !hasValues, scope, to: &writer)
                }
            }
            if isStruct || hasValues {
                writer.codingKeys("CodingKeys", children.map { (naming.states[$0.offset], key(of: $0)) })
            }
            for child in children where !isStruct && machine[child].kind == .parallel {
                let keys = regions(of: child).map { (name: naming.states[$0.offset], key: key(of: $0)) }
                writer.codingKeys(SwiftName.capitalized(naming.states[child.offset]) + "CodingKeys", keys)
            }
            for (state, type) in scope.types {
                writer.line()
                writeType(type, of: state, "Decodable, Hashable, Sendable", to: &writer)
            }
            more(&writer)
        }
    }

    private func writeCase(
        _ child: StateIndex, isRaw: Bool, _ scope: StateTypeScope, to writer: inout SwiftWriter
    ) {
        let name = naming.states[child.offset]
        let head = "case " + SwiftName.written(name)
        if isRaw {
            writer.rawCase(name, key(of: child))
        } else if machine[child].kind == .compound {
            writer.line("\(head)(\(scope[child]))")
        } else if hasChoice(child) {
            let labels = regions(of: child).map { region in
                "\(SwiftName.written(naming.states[region.offset])): \(scope[region])"
            }
            writer.list(head + "(", labels, ")")
        } else {
            writer.line(head)
        }
    }

    private func key(of state: StateIndex) -> String {
        let path = machine[state].path
        guard let parent = machine[state].parent, parent != .root else { return path }
        return String(path.dropFirst(machine[parent].path.count + 1))
    }

    /// The types inside a state's type: those of its children, and of the regions of parallel children.
    struct StateTypeScope {
        /// The types, in document order.
        private(set) var types: [(state: StateIndex, type: String)] = []

        init(_ state: StateIndex, of source: SwiftSource) {
            let machine = source.machine
            let isStruct = machine[state].kind == .parallel
            let owners = machine[state].children.filter(source.hasChoice).flatMap { child in
                isStruct || machine[child].kind == .compound
                    ? [(state: child, parent: nil)]
                    : source.regions(of: child).map { (state: $0, parent: StateIndex?(child)) }
            }
            let wanted = owners.map { SwiftName.capitalized(source.naming.states[$0.state.offset]) }
            let counts = Dictionary(wanted.map { ($0, 1) }, uniquingKeysWith: +)
            var used = Set(owners.filter { $0.parent == nil }.map { source.naming.states[$0.state.offset] })
            for ((state, parent), name) in zip(owners, wanted) {
                var type = name
                // Regions of two states may have the same name.
                if let parent, counts[name] != 1 {
                    type = SwiftName.capitalized(source.naming.states[parent.offset]) + name
                }
                while used.contains(type) || SwiftName.isTaken(type: type) { type += "State" }
                used.insert(type)
                types.append((state, type))
            }
        }

        subscript(state: StateIndex) -> String { types.first { $0.state == state }?.type ?? "Never" }
    }
}
