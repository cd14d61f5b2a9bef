import Statechart

/// Finds names that are valid in definitions and unique among names of the same kind.
struct UniqueNames {
    private var taken: Set<String>
    /// The next number to try for a name.
    private var next: [String: Int] = [:]

    /// Creates a set of names.
    ///
    /// - Parameter taken: The names that keep their owners.
    init(taken: Set<String> = []) {
        self.taken = taken
    }

    /// Returns a free name: the wanted name, or the name with a number.
    mutating func name(_ wanted: String) -> String {
        taken.insert(wanted).inserted ? wanted : numbered(wanted, from: 2)
    }

    /// Returns a free name with a number.
    mutating func numbered(_ wanted: String, from first: Int = 1) -> String {
        var number = next[wanted] ?? first
        while !taken.insert("\(wanted)_\(number)").inserted { number += 1 }
        next[wanted] = number + 1
        return "\(wanted)_\(number)"
    }

    /// Returns the nearest valid name of a machine or state: letters, digits, `_`, `.` and `-`.
    static func stateName(like text: String) -> String {
        let name = replacing(text) { $0 == "." || $0 == "-" || $0 == "_" || isLetterOrDigit($0) }
        return StateName.isValid(name) ? name : "_" + name
    }

    /// Returns the nearest valid name of an event: tokens joined by dots.
    static func eventName(like text: String) -> String {
        let tokens = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { token in
            token.isEmpty ? "_" : replacing(String(token)) { $0 == "-" || $0 == "_" || isLetterOrDigit($0) }
        }
        let name = tokens.joined(separator: ".")
        return EventName.isValid(name) ? name : "_" + name
    }

    private static func replacing(_ text: String, unless isKept: (Unicode.Scalar) -> Bool) -> String {
        // The limit leaves room for a prefix and a number.
        let scalars = text.unicodeScalars.prefix(DefinitionLimits.nameBytes - 20).map { isKept($0) ? $0 : "_" }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }
}
