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
        for prefix in candidates.prefixes where prefix.matches(name) {
            if let found = prefix.transitions.first(where: accepts) { return found }
        }
        return takesAny ? candidates.any.first(where: accepts) : nil
    }
}
