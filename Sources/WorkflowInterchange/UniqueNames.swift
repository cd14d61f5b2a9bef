import Statechart

/// Finds names that follow the rules of definitions and that no other name of the same kind has.
struct UniqueNames {
    private var taken: Set<String>
    /// The number to try next behind a name.
    private var next: [String: Int] = [:]

    /// - Parameter taken: Names that stay with those who have them.
    init(taken: Set<String> = []) {
        self.taken = taken
    }

    /// A name that was free until now: this one, or with a number behind it.
    mutating func name(_ wanted: String) -> String {
        taken.insert(wanted).inserted ? wanted : numbered(wanted, from: 2)
    }

    /// A name that was free until now, with a number behind it.
    mutating func numbered(_ wanted: String, from first: Int = 1) -> String {
        var number = next[wanted] ?? first
        while !taken.insert("\(wanted)_\(number)").inserted { number += 1 }
        next[wanted] = number + 1
        return "\(wanted)_\(number)"
    }

    /// The nearest name of a machine or state: letters, digits, `_`, `.` and `-`.
    static func stateName(like text: String) -> String {
        let name = replacing(text) { $0 == "." || $0 == "-" || $0 == "_" || isLetterOrDigit($0) }
        return StateName.isValid(name) ? name : "_" + name
    }

    /// The nearest name of an event: tokens joined by dots.
    static func eventName(like text: String) -> String {
        let tokens = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { token in
            token.isEmpty ? "_" : replacing(String(token)) { $0 == "-" || $0 == "_" || isLetterOrDigit($0) }
        }
        let name = tokens.joined(separator: ".")
        return EventName.isValid(name) ? name : "_" + name
    }

    private static func replacing(_ text: String, unless isKept: (Unicode.Scalar) -> Bool) -> String {
        // Room for what makes it valid and its own.
        let scalars = text.unicodeScalars.prefix(DefinitionLimits.nameBytes - 20).map { isKept($0) ? $0 : "_" }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }
}
