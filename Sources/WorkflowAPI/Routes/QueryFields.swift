import WorkflowSpelling

/// The parameters of a query while they are being read. Remembers which of them were requested.
struct QueryFields {
    private var values: [String: [String]] = [:]
    private var known: [String] = []

    /// Takes percent-decoded names and values. Refuses repeated names.
    ///
    /// - Parameter repeated: The parameters that may be repeated: each value adds to the selection.
    init(_ query: [(name: String, value: String)], addingUp repeated: Set<String> = []) throws(WireError) {
        for (name, value) in query {
            guard values[name] == nil || repeated.contains(name) else {
                throw WireError(.invalidParameter, path: name, message: "Parameter '\(name)' stands twice")
            }
            values[name, default: []].append(value)
        }
    }

    mutating func string(_ name: String) throws(WireError) -> String? { try strings(name).first }

    /// Returns the values of a parameter that may be repeated, each once and in their order.
    mutating func strings(_ name: String) throws(WireError) -> [String] {
        // Without a query, the list of known names is not needed.
        if values.isEmpty { return [] }
        known.append(name)
        var strings: [String] = []
        for value in values[name] ?? [] where !strings.contains(value) {
            guard !value.isEmpty else { throw invalid(name, "must not be empty") }
            guard strings.count < APILimits.addedUp else {
                throw invalid(name, "must not stand more than \(APILimits.addedUp) times")
            }
            strings.append(value)
        }
        return strings
    }

    mutating func bool(_ name: String, absent: Bool = false) throws(WireError) -> Bool {
        switch try string(name) {
        case nil: return absent
        case "false": return false
        case "true": return true
        case let value?: throw invalid(name, "must be true or false, not '\(value)'")
        }
    }

    mutating func int(_ name: String, in range: ClosedRange<Int64>) throws(WireError) -> Int64? {
        try ints(name, in: range).first
    }

    /// Returns the values of a parameter as `strings` does, as integers in a range.
    mutating func ints(_ name: String, in range: ClosedRange<Int64>) throws(WireError) -> [Int64] {
        var found: [Int64] = []
        for value in try strings(name) {
            guard let int = Int64(decimal: value), range.contains(int) else {
                let bounds =
                    range.upperBound == .max
                    ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
                throw invalid(name, "must be a whole number \(bounds), not '\(value)'")
            }
            found.append(int)
        }
        return found
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, as type: Word.Type = Word.self
    ) throws(WireError) -> Word? where Word.RawValue == String {
        try words(name, as: type).first
    }

    /// Returns the values of a parameter as `strings` does, as words.
    mutating func words<Word: RawRepresentable & CaseIterable>(
        _ name: String, as type: Word.Type = Word.self
    ) throws(WireError) -> [Word] where Word.RawValue == String {
        var found: [Word] = []
        for value in try strings(name) { found.append(try word(value, of: name)) }
        return found
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ value: String, of name: String
    ) throws(WireError) -> Word where Word.RawValue == String {
        if let word = Word(rawValue: value) { return word }
        let words = Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw invalid(name, "must be one of \(words), not '\(value)'")
    }

    mutating func time(_ name: String) throws(WireError) -> WireTime? {
        guard let text = try string(name) else { return nil }
        guard let time = WireTime(text: text) else {
            throw invalid(name, "must be a time as 2026-11-24T15:07:52.901Z, not '\(text.prefix(100))'")
        }
        return time
    }

    mutating func limit() throws(WireError) -> Int? {
        try int("limit", in: 1...Int64(APILimits.largestPageItems)).map { Int($0) }
    }

    /// Throws for the first parameter, in the order of names, that was not requested.
    func refuseUnknown() throws(WireError) {
        if values.isEmpty { return }
        guard let name = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
        let hint = Spelling.closest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
        let list = known.isEmpty ? "none is known here" : "known here: \(known.joined(separator: ", "))"
        throw WireError(.invalidParameter, path: name, message: "Unknown parameter '\(name)' (\(list))\(hint)")
    }

    private func invalid(_ name: String, _ requirement: String) -> WireError {
        WireError(.invalidParameter, path: name, message: "Parameter '\(name)' \(requirement)")
    }
}

/// Builds the query of a URL from parameters in their order. Absent values are left out.
struct QueryText {
    private(set) var text = ""

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        text += (text.isEmpty ? "?" : "&") + name + "=" + PercentEncoding.encode(value)
    }

    mutating func add(_ name: String, _ values: [String]) {
        for value in values { add(name, value) }
    }

    mutating func add(_ name: String, _ value: Int64?) {
        add(name, value.map { String($0) })
    }

    mutating func add(_ name: String, _ value: Bool) {
        if value { add(name, "true") }
    }
}
