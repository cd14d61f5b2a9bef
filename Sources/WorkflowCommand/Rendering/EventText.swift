import Statechart

/// How the names of events are shown to people.
enum EventText {
    /// The name; that of a timer whose delay is an expression has an ellipsis in its place: `after.….review`.
    ///
    /// - Parameter states: Paths of states, one of which or an ancestor of one has the timer, as far as is known.
    static func short(_ event: String, states: [String] = []) -> String {
        guard event.hasPrefix(EventName.timeoutPrefix) else { return event }
        let rest = event.dropFirst(EventName.timeoutPrefix.count)
        guard !hasLiteralDelay(rest) else { return event }
        return "\(EventName.timeoutPrefix)….\(owner(of: rest, states))"
    }

    /// `1s.review`, `P3D.order.wait`: a delay as a definition writes it, then a dot. `PT0.5S` has a dot of its own.
    private static func hasLiteralDelay(_ rest: Substring) -> Bool {
        let dots = rest.indices.filter { rest[$0] == "." }.prefix(2)
        return dots.contains { DelayText.isDelay(String(rest[..<$0])) }
    }

    /// The state that has the timer: the longest that the name ends with, else what cannot be of an expression.
    private static func owner(of rest: Substring, _ states: [String]) -> Substring {
        for state in states {
            var path = Substring(state)
            while !path.isEmpty {
                if rest.hasSuffix("." + path) { return rest.suffix(path.count) }
                path = path.lastIndex(of: ".").map { path[..<$0] } ?? ""
            }
        }
        // States have letters, digits, `_`, `-` and dots only. Where an expression has no others, the last word counts.
        let name = rest.lastIndex { !isOfName($0) }.map { rest[rest.index(after: $0)...] } ?? rest
        if name.count < rest.count, name.first == ".", name.count > 1 { return name.dropFirst() }
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_.-".contains(character))
    }
}
