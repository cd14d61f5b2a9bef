/// The transitions of one state by descriptor. Descriptors are tried in this order: the exact event name, the longest
/// prefix, then `*`.
package struct CandidateTable: Sendable {
    /// A descriptor of the form `name.*`.
    package struct Prefix: Sendable {
        /// The descriptor without `.*`: the name that matches itself and every name below.
        package let name: String
        package let transitions: [TransitionIndex]

        package init(name: String, transitions: [TransitionIndex]) {
            self.name = name
            self.transitions = transitions
        }

        /// Returns true if an event's name is this prefix or lies below this prefix.
        package func matches(_ event: String) -> Bool {
            guard event.utf8.starts(with: name.utf8) else { return false }
            let rest = event.utf8.dropFirst(name.utf8.count)
            return rest.isEmpty || rest.first == UInt8(ascii: ".")
        }
    }

    package let exact: [String: [TransitionIndex]]
    /// The entries of `exact` as a list if there are at most four: comparing a few names is faster than hashing one.
    private let few: [Prefix]
    /// The prefixes, longest first.
    package let prefixes: [Prefix]
    /// The transitions of `prefixes` by name if there are more than four prefixes; otherwise empty.
    private let families: [String: [TransitionIndex]]
    /// The transitions of the descriptor `*`.
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

    /// Returns the transitions whose descriptor is exactly the event's name.
    func transitions(named name: String) -> [TransitionIndex]? {
        if few.isEmpty { return exact.isEmpty ? nil : exact[name] }
        for place in few.indices where few[place].name == name { return few[place].transitions }
        return nil
    }

    /// Returns the first transition that the condition accepts, among the prefixes of an event's name, longest prefix
    /// first.
    ///
    /// - Complexity: O(n) in the length of the name, for any number of prefixes.
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

/// The kind of transitions to select.
enum Selector {
    /// The transitions of `always`.
    case eventless
    /// The transitions that an event enables; `takesAny` is true if `*` is among them.
    case event(String, takesAny: Bool)

    /// Selects the transitions for an event from outside or from a timer. `*` matches every name except the names of
    /// `after`.
    static func event(_ event: Event) -> Selector {
        .event(event.name, takesAny: takesAny(event.name))
    }

    /// Returns true if `*` matches an event's name.
    static func takesAny(_ name: String) -> Bool { !name.hasPrefix(EventName.timeoutPrefix) }
}

extension State {
    /// Returns the first transition of this state that fits the selector and that the condition accepts. The
    /// transitions of an event are tried by descriptor: the exact name, the longest prefix, then `*`.
    func first(for selector: Selector, where accepts: (TransitionIndex) -> Bool) -> TransitionIndex? {
        guard case .event(let name, let takesAny) = selector else { return eventless.first(where: accepts) }
        if let found = candidates.transitions(named: name)?.first(where: accepts) { return found }
        if let found = candidates.firstOfPrefix(of: name, where: accepts) { return found }
        return takesAny ? candidates.any.first(where: accepts) : nil
    }
}
