import WorkflowJSON

/// A field that an expression reads, prepared so that finding it in a map is fast.
final class FieldName: Sendable {
    let name: String
    /// The length in bytes.
    private let length: Int
    private let isASCII: Bool
    /// The range of the expression up to this field: `event.data.ok`.
    let range: Range<Int>
    /// The text before the field, for messages: `event.data`.
    let owner: String

    init(_ name: String, range: Range<Int>, owner: String) {
        self.name = name
        length = name.utf8.count
        isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        self.range = range
        self.owner = owner
    }

    /// Returns the field of a map; `nil` if the map lacks the key.
    ///
    /// - Complexity: O(log *n*) comparisons; in small maps most of them compare lengths.
    func value(in map: MapValue) -> Value? {
        switch map {
        case .json(let object):
            let members = object.members
            guard members.count <= Self.smallMap else { return object[name].map { Value($0) } }
            for index in members.indices where isSame(as: members[index].key) { return Value(members[index].value) }
            return nil
        case .entries(let entries):
            guard entries.count <= Self.smallMap else { return map.value(of: .string(name)) }
            for index in entries.indices {
                if case .string(let key) = entries[index].key, isSame(as: key) { return entries[index].value }
            }
            return nil
        }
    }

    /// Returns true if a key has the same bytes as the name.
    ///
    /// `==` on strings tests canonical equivalence. A different string that is equivalent to ASCII text has more bytes
    /// (https://www.unicode.org/reports/tr15/, singletons such as U+212A). So the fast `==` is exact for ASCII.
    @inline(__always)
    private func isSame(as key: String) -> Bool {
        guard key.utf8.count == length else { return false }
        return isASCII ? key == name : key.utf8.elementsEqual(name.utf8)
    }

    private static let smallMap = 16
}
