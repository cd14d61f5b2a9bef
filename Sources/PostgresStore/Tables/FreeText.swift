import WorkflowJSON

/// A text of a caller as a JSON string, because a text of PostgreSQL has no U+0000.
struct FreeText: ColumnValue {
    private let text: String?

    init(_ text: String?) {
        self.text = text
    }

    static var element: ArrayColumn.Element { .text }

    func append(to column: inout ArrayColumn) {
        if let text { column.append(JSONWriter.string(JSONValue.string(text))) } else { column.appendNull() }
    }
}

extension AnswerRow {
    /// Reads a text that is stored as a JSON string.
    mutating func freeText() throws(PostgresFailure) -> String? {
        let refused = implausible
        guard let stored = try optionalText() else { return nil }
        // Anything else than a string of JSON is damage, whatever the reader says of it.
        guard let text = (try? JSONReader.value(from: stored))?.string else { throw refused }
        return text
    }
}
