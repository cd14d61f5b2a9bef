import Statechart

/// The Swift names of a definition: `meta: {swift: {…}}` at the root and at states.
struct SwiftMeta {
    /// A key of the context.
    struct Key {
        var name: String?
        var type: String?
    }

    /// The name of the machine's type.
    private(set) var name: String?
    /// The names by state, without the root.
    private(set) var states: [String?] = []
    private(set) var events: [String: String] = [:]
    private(set) var keys: [String: Key] = [:]
    private(set) var mistakes: [Diagnostic] = []

    /// - Parameters:
    ///   - root: The definition.
    ///   - states: The definition's states without the root, in document order.
    init(_ root: DefinitionNode, states: [DefinitionNode]) {
        for member in members(of: root["meta"]?["swift"], "'meta.swift' of the machine") {
            switch member.key {
            case "name": name = identifier(member.value, ofType: true)
            case "events":
                for event in members(of: member.value, "'meta.swift.events'") {
                    events[event.key] = identifier(event.value, ofType: false)
                }
            case "context":
                for key in members(of: member.value, "'meta.swift.context'") { keys[key.key] = self.key(key.value) }
            default: report(unknown: member, among: "name, events, context")
            }
        }
        self.states = states.map { state in
            var name: String?
            for member in members(of: state["meta"]?["swift"], "'meta.swift' of a state") {
                if member.key == "name" {
                    name = identifier(member.value, ofType: false)
                } else {
                    report(unknown: member, among: "name")
                }
            }
            return name
        }
    }

    /// Adds a mistake for every name of an event or a key that does not exist.
    mutating func check(_ root: DefinitionNode, events known: [String], keys knownKeys: [String]) {
        let swift = root["meta"]?["swift"]
        for (part, noun, names) in [("events", "an event that callers send", known), ("context", "a key", knownKeys)] {
            for member in swift?[part]?.members ?? [] where !names.contains(member.key) {
                report("'\(member.key)' in 'meta.swift.\(part)' is not \(noun) of the machine", at: member.place)
            }
        }
    }

    private mutating func key(_ node: DefinitionNode) -> Key {
        if node.members == nil { return Key(type: type(node)) }
        var key = Key()
        for member in node.members ?? [] {
            switch member.key {
            case "name": key.name = identifier(member.value, ofType: false)
            case "type": key.type = type(member.value)
            default: report(unknown: member, among: "name, type")
            }
        }
        return key
    }

    private mutating func members(of node: DefinitionNode?, _ what: String) -> [DefinitionNode.Member] {
        guard let node else { return [] }
        if let members = node.members { return members }
        report("\(what) must be a map", at: node.place)
        return []
    }

    private mutating func identifier(_ node: DefinitionNode, ofType: Bool) -> String? {
        if let text = node.text, SwiftName.isIdentifier(text, ofType: ofType) { return text }
        let size = ofType ? "large" : "small"
        report("a name in Swift has letters, digits and '_', the first a \(size) letter", at: node.place)
        return nil
    }

    private mutating func type(_ node: DefinitionNode) -> String? {
        let isWritten: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || "_.,:<>[]? ".contains($0)) }
        if let text = node.text, text.first?.isLetter == true || text.first == "[", text.allSatisfy(isWritten) {
            return text
        }
        report("a type of Swift is written such as String, [Int] or Card", at: node.place)
        return nil
    }

    private mutating func report(unknown member: DefinitionNode.Member, among known: String) {
        report("unknown key '\(member.key)' in 'meta.swift'; known are \(known)", at: member.place)
    }

    private mutating func report(_ message: String, at place: DefinitionPlace?) {
        mistakes.append(
            Diagnostic(.error, line: place?.line ?? 1, column: place?.column ?? 1, message: message))
    }
}
