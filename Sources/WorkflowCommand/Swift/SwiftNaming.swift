import Statechart
import WorkflowCEL
import WorkflowJSON

/// The names of a machine in Swift.
struct SwiftNaming {
    /// An event that callers may send.
    struct Event {
        let event: String
        let name: String
        /// The type of the data; `nil` for an event without data.
        let data: SwiftType?
    }

    let machine: Machine
    /// The name of the machine's type.
    let type: String
    /// The name of each state among its siblings. The root has none.
    let states: [String]
    /// The name of each state among all states.
    let paths: [String]
    /// The description of each state.
    let descriptions: [String?]
    let events: [Event]
    let context: SwiftStructure
    /// All names without a form in Swift, and all that have two meanings.
    let mistakes: [Diagnostic]

    /// - Parameters:
    ///   - root: The definition of the machine.
    ///   - name: The name of the machine's type; `nil` for the name in the definition.
    init(_ machine: Machine, _ root: DefinitionNode, named name: String?) {
        let members = Self.states(in: root)
        var meta = SwiftMeta(root, states: members.map(\.value))
        var reader = SwiftTypeReader()
        let sent = Self.events(of: machine, root)
        meta.check(root, events: sent.map(\.key), keys: machine.context.keys)
        self.machine = machine
        descriptions = ([root] + members.map(\.value)).map { $0["description"]?.text }

        var clashes = SwiftClashes()
        type = Self.type(of: machine, name ?? meta.name, root, &clashes)
        (states, paths) = Self.stateNames(machine, members, meta, &clashes)
        var eventClashes = SwiftClashes()
        let reads = EventReads(machine)
        events = sent.map { member in
            let name = meta.events[member.key] ?? SwiftName.lowerCamel(member.key)
            eventClashes.add(name, for: member.key, at: member.place)
            let declared = machine.eventData[member.key] == nil ? nil : member.value["data"]
            let data = declared.map {
                let structure = SwiftName.capitalized(name ?? "_")
                return reader.type($0, structure: structure, owner: "event '\(member.key)'")
            }
            return Event(
                event: member.key, name: name ?? "_", data: data ?? (reads.readsData(of: member.key) ? .json : nil))
        }
        var keyClashes = SwiftClashes()
        context = Self.context(machine, root, meta, &reader, &keyClashes)
        mistakes =
            meta.mistakes + clashes.mistakes(advice: "name one in meta") + reader.mistakes
            + eventClashes.mistakes(advice: "name one in meta") + keyClashes.mistakes(advice: "name one in meta")
    }

    /// Returns the states below the root, in document order.
    private static func states(in node: DefinitionNode) -> [DefinitionNode.Member] {
        (node["states"]?.members ?? []).flatMap { [$0] + states(in: $0.value) }
    }

    private static func type(
        of machine: Machine, _ name: String?, _ root: DefinitionNode, _ clashes: inout SwiftClashes
    ) -> String {
        let name = name ?? SwiftName.upperCamel(machine.name)
        if name == nil { clashes.add(nil, for: machine.name, at: root.place) }
        guard let name else { return "_" }
        return SwiftName.isTaken(type: name) || name.hasPrefix("_") ? "Machine" + name : name
    }

    private static func stateNames(
        _ machine: Machine, _ members: [DefinitionNode.Member], _ meta: SwiftMeta, _ clashes: inout SwiftClashes
    ) -> ([String], [String]) {
        var states = [""]
        var paths = [""]
        let isTree = machine.states.contains { $0.parent != .root && $0.parent != nil }
        for (state, (member, chosen)) in zip(machine.states.dropFirst(), zip(members, meta.states)) {
            let parent = paths[state.parent?.offset ?? 0]
            let own = chosen ?? SwiftName.lowerCamel(member.key)
            let path = own.map { parent.isEmpty ? $0 : parent + SwiftName.capitalized($0) }
            // The generated decoder uses this name for a case's only value.
            let isValue = isTree && member.key == "_0"
            clashes.add(isValue ? nil : path, for: state.path, at: member.place)
            states.append(own ?? "_")
            paths.append(path ?? "_")
        }
        return (states, paths)
    }

    /// Returns the events that callers may send, in the order of the definition, with their entries in `events`.
    private static func events(of machine: Machine, _ root: DefinitionNode) -> [DefinitionNode.Member] {
        let declared = root["events"]?.members ?? []
        var seen: Set<String> = []
        let taken = machine.transitions.compactMap(\.descriptor).filter {
            machine.events.contains($0) && seen.insert($0).inserted
        }
        // The events that only a wildcard matches.
        let others = declared.map(\.key).filter { machine.knows(event: $0) && seen.insert($0).inserted }
        return (taken + others).map { event in
            declared.first { $0.key == event } ?? DefinitionNode.Member(event, .map([]), at: root.place)
        }
    }

    private static func context(
        _ machine: Machine, _ root: DefinitionNode, _ meta: SwiftMeta, _ reader: inout SwiftTypeReader,
        _ clashes: inout SwiftClashes
    ) -> SwiftStructure {
        let declared = root["types"]?["context"]
        let fields = (root["context"]?.members ?? []).map { member in
            let key = member.key
            let name = meta.keys[key]?.name ?? SwiftName.lowerCamel(key)
            clashes.add(name, for: key, at: member.place)
            let isNull = machine.context[key] == .null
            var type: SwiftType
            if let written = meta.keys[key]?.type {
                let isOptional = written.hasSuffix("?")
                type = .named(isOptional ? String(written.dropLast()) : written)
                if isOptional { type = type.orNil }
            } else if let node = declared?[key] {
                let wanted = SwiftName.capitalized(name ?? "_")
                let isFree = !SwiftName.isTaken(type: wanted) && wanted != name
                type = reader.type(node, structure: isFree ? wanted : wanted + "Value", owner: "context.\(key)")
            } else {
                type = SwiftType(machine.contextTypes[key] ?? .dyn)
            }
            return SwiftStructure.Field(key: key, name: name ?? "_", type: isNull ? type.orNil : type)
        }
        return SwiftStructure(name: "Context", fields: fields)
    }
}
