/// The transitions of one state by what they are for, in the order in which they are tried: the exact event name, then
/// the longest prefix, then `*`.
package struct CandidateTable: Sendable {
    /// Descriptors of the form `name.*`.
    package struct Prefix: Sendable {
        /// The descriptor without `.*`: it matches this name and everything below it.
        package let name: String
        package let transitions: [TransitionIndex]

        package init(name: String, transitions: [TransitionIndex]) {
            self.name = name
            self.transitions = transitions
        }

        /// Whether an event's name is this prefix or lies below it.
        package func matches(_ event: String) -> Bool {
            guard event.utf8.starts(with: name.utf8) else { return false }
            let rest = event.utf8.dropFirst(name.utf8.count)
            return rest.isEmpty || rest.first == UInt8(ascii: ".")
        }
    }

    package let exact: [String: [TransitionIndex]]
    /// `exact` as a list, while it is short: comparing a few names is faster than hashing one.
    private let few: [Prefix]
    /// The longest first.
    package let prefixes: [Prefix]
    /// The elements of `prefixes` by name, when there are many.
    private let families: [String: [TransitionIndex]]
    /// Of the descriptor `*`.
    package let any: [TransitionIndex]

    package init(exact: [String: [TransitionIndex]], prefixes: [Prefix], any: [TransitionIndex]) {
        self.exact = exact
        self.prefixes = prefixes.sorted { $0.name.utf8.count > $1.name.utf8.count }
        self.any = any
        families =
            prefixes.count > 4
            ? Dictionary(self.prefixes.map { ($0.name, $0.transitions) }, uniquingKeysWith: { $0 + $1 }) : [:]
        few = exact.count > 4 ? [] : exact.map { Prefix(name: $0.key, transitions: $0.value) }
    }

    /// The transitions of an event's own name.
    func transitions(named name: String) -> [TransitionIndex]? {
        if few.isEmpty { return exact.isEmpty ? nil : exact[name] }
        for place in few.indices where few[place].name == name { return few[place].transitions }
        return nil
    }

    /// The first transition of the prefixes of an event's name that a condition accepts, those of the longest first.
    ///
    /// - Complexity: O(n) in the length of the name, however many prefixes there are.
    func firstOfPrefix(of name: String, where accepts: (TransitionIndex) -> Bool) -> TransitionIndex? {
        if families.isEmpty {
            for prefix in prefixes where prefix.matches(name) {
                if let found = prefix.transitions.first(where: accepts) { return found }
            }
            return nil
        }
        var part = name[...]
        while true {
            if let found = families[String(part)]?.first(where: accepts) { return found }
            guard let dot = part.lastIndex(of: ".") else { return nil }
            part = part[..<dot]
        }
    }
}

/// What transitions are looked for.
enum Selector {
    /// Those of `always`.
    case eventless
    /// Those that take an event; `takesAny` says whether `*` is among them.
    case event(String, takesAny: Bool)

    /// Those that take an event from outside or from a timer: `*` stands for every name but those of `after`.
    static func event(_ event: Event) -> Selector {
        .event(event.name, takesAny: takesAny(event.name))
    }

    /// Whether `*` stands for an event's name.
    static func takesAny(_ name: String) -> Bool { !name.hasPrefix(EventName.timeoutPrefix) }
}

extension State {
    /// The first transition of this state that is looked for and that a condition accepts. Those of an event are tried
    /// by descriptor: the exact name, then the longest prefix, then `*`.
    func first(for selector: Selector, where accepts: (TransitionIndex) -> Bool) -> TransitionIndex? {
        guard case .event(let name, let takesAny) = selector else { return eventless.first(where: accepts) }
        if let found = candidates.transitions(named: name)?.first(where: accepts) { return found }
        if let found = candidates.firstOfPrefix(of: name, where: accepts) { return found }
        return takesAny ? candidates.any.first(where: accepts) : nil
    }
}
