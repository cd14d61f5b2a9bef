import Statechart

/// The names of events, for people.
enum EventText {
    /// Returns the name; in a timer's name an ellipsis replaces an expression for the delay: `after.….review`.
    ///
    /// - Parameter states: Paths of states; one of them or an ancestor has the timer, as far as is known.
    static func short(_ event: String, states: [String] = []) -> String {
        guard event.hasPrefix(EventName.timeoutPrefix) else { return event }
        let rest = event.dropFirst(EventName.timeoutPrefix.count)
        guard !hasLiteralDelay(rest) else { return event }
        return "\(EventName.timeoutPrefix)….\(owner(of: rest, states))"
    }

    /// Returns true for `1s.review`, `P3D.order.wait`: a delay as a definition writes it, then a dot. `PT0.5S` has a
    /// dot of its own.
    private static func hasLiteralDelay(_ rest: Substring) -> Bool {
        let dots = rest.indices.filter { rest[$0] == "." }.prefix(2)
        return dots.contains { DelayText.isDelay(String(rest[..<$0])) }
    }

    /// Returns the state that has the timer: the longest path with which the name ends, else the end that cannot belong
    /// to an expression.
    private static func owner(of rest: Substring, _ states: [String]) -> Substring {
        for state in states {
            var path = Substring(state)
            while !path.isEmpty {
                if rest.hasSuffix("." + path) { return rest.suffix(path.count) }
                path = path.lastIndex(of: ".").map { path[..<$0] } ?? ""
            }
        }
        // State names have only letters, digits, `_`, `-` and dots. If the expression has no other characters, the last
        // word counts.
        let name = rest.lastIndex { !isOfName($0) }.map { rest[rest.index(after: $0)...] } ?? rest
        if name.count < rest.count, name.first == ".", name.count > 1 { return name.dropFirst() }
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_.-".contains(character))
    }
}
