import WorkflowJSON

extension DraftReader {
    /// Returns the whole value of a node; returns `nil` and reports mistakes if a part of the value is invalid.
    mutating func literal(_ node: SourceNode) -> JSONValue? {
        switch node.content {
        case .scalar(let text, let isPlain): return scalar(text, isPlain: isPlain, node)
        case .sequence(let nodes):
            let values = nodes.map { literal($0) }
            return values.contains { $0 == nil } ? nil : .array(values.compactMap { $0 })
        case .mapping(let pairs):
            var object = JSONObject()
            var isWhole = true
            // Inserting keys in sorted order is cheap.
            for pair in pairs.sorted(by: { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }) {
                guard let value = literal(pair.value) else {
                    isWhole = false
                    continue
                }
                _ = object.insert(value, forNewKey: pair.key.text)
            }
            return isWhole ? .object(object) : nil
        case .unreadable: return nil
        }
    }

    /// Returns the value of a scalar; returns `nil` and reports a mistake for a number that JSON cannot represent.
    mutating func scalar(_ text: String, isPlain: Bool, _ node: SourceNode) -> JSONValue? {
        guard isPlain else { return .string(text) }
        do {
            return try ScalarResolver.value(ofPlain: text)
        } catch {
            diagnostics.error(Self.message(error, text), at: node.position)
            return nil
        }
    }

    private static func message(_ failure: ScalarResolver.Failure, _ text: String) -> String {
        switch failure {
        case .integerTooLarge: "the integer \(text.quoted) does not fit 64 bits"
        case .doubleTooLarge: "the number \(text.quoted) does not fit a double"
        case .notFinite: "\(text.quoted) is not a number that JSON has"
        }
    }

    /// Returns true if a text matches `[A-Za-z_][A-Za-z0-9_]*`.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        StateName.isValid(String(text)) && !text.utf8.contains { ".-".utf8.contains($0) }
    }
}
