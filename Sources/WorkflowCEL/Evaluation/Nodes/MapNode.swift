/// A map literal: `{a: b, ?c: d}`.
final class MapNode: Node {
    struct Entry: Sendable {
        let key: any Node
        let value: any Node
        let isOptional: Bool
        let keyRange: Range<Int>
        let valueRange: Range<Int>
    }

    let entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        // Sorting costs about log n comparisons per entry.
        try frame.budget.take(1 + entries.count * 4)
        var made: [(entry: MapValue.Entry, range: Range<Int>)] = []
        made.reserveCapacity(entries.count)
        for entry in entries {
            let key = try entry.key.value(&frame, host)
            let value = try entry.value.value(&frame, host)
            guard let mapKey = Self.key(key) else {
                throw EvaluationError(
                    .noOverload, "a key is a bool, int, uint or string, not \(key.typeName.withArticle)",
                    range: entry.keyRange)
            }
            if !entry.isOptional {
                made.append((MapValue.Entry(key: mapKey, value: value), entry.keyRange))
            } else if let content = try OptionalContent.of(value, entry.valueRange) {
                made.append((MapValue.Entry(key: mapKey, value: content), entry.keyRange))
            }
        }
        made.sort { $0.entry.key < $1.entry.key }
        for index in made.indices.dropFirst() where made[index - 1].entry.key == made[index].entry.key {
            throw EvaluationError(.invalidArgument, "the key stands twice in the map", range: made[index].range)
        }
        return .map(.entries(made.map(\.entry)))
    }

    /// Returns the key for a value. A whole double can look up a key, but cannot be a key.
    private static func key(_ value: Value) -> MapKey? {
        if case .double = value { nil } else { MapKey(value) }
    }
}
