import WorkflowSpelling

/// The message about a key that a map lacks.
enum MissingKey {
    private static let longestList = 8
    private static let mostCandidates = 32
    private static let longestName = 40

    /// Returns the cost of the message, which compares the key with others.
    static func cost(_ name: String?, _ map: MapValue) -> Int {
        guard let name, name.utf8.count <= longestName else { return 0 }
        return min(map.count, mostCandidates) * name.utf8.count * 2
    }

    /// Returns the message about a missing key.
    ///
    /// - Parameters:
    ///   - written: The key as text for the message.
    ///   - name: The key if it is a string.
    ///   - owner: The text of the map.
    static func message(_ written: String, _ name: String?, in map: MapValue, _ owner: String) -> String {
        var message = "no such key: \(written) in \(owner)"
        guard map.count > 0 else { return message + "; it is empty" }
        let shown = min(map.count, longestList)
        let keys = (0..<shown).map { shortened(map[$0].key.text) }.joined(separator: ", ")
        message += "; it has \(keys)"
        if map.count > shown { message += " and \(map.count - shown) more" }
        if let name, let meant = closest(to: name, in: map) { message += "; did you mean '\(meant)'?" }
        return message
    }

    private static func closest(to name: String, in map: MapValue) -> String? {
        guard name.utf8.count <= longestName else { return nil }
        let candidates = (0..<min(map.count, mostCandidates)).compactMap { index in
            if case .string(let key) = map[index].key { key } else { nil }
        }
        return Spelling.closest(to: name, among: candidates)
    }

    /// Returns a key, shortened if it is long.
    static func shortened(_ key: String) -> String {
        key.utf8.count <= longestName ? key : String(key.unicodeScalars.prefix(longestName)) + "…"
    }
}
