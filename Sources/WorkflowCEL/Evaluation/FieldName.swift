import WorkflowJSON

/// A field that an expression reads, prepared so that finding it in a map is fast.
final class FieldName: Sendable {
    let name: String
    /// In bytes.
    private let length: Int
    private let isASCII: Bool
    /// Of the part of the expression that reads it: `event.data.ok`.
    let range: Range<Int>
    /// What it is read from, for messages: `event.data`.
    let owner: String

    init(_ name: String, range: Range<Int>, owner: String) {
        self.name = name
        length = name.utf8.count
        isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        self.range = range
        self.owner = owner
    }

    /// The field of a map; nil when the map has no such key.
    ///
    /// - Complexity: O(log *n*) comparisons; in small maps most of them are comparisons of lengths.
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

    /// Whether both are the same bytes.
    ///
    /// `==` on strings asks for canonical equivalence. Whatever is equivalent to ASCII text but is not the same has
    /// more bytes (https://www.unicode.org/reports/tr15/, singletons such as U+212A), so there the fast `==` is exact.
    @inline(__always)
    private func isSame(as key: String) -> Bool {
        guard key.utf8.count == length else { return false }
        return isASCII ? key == name : key.utf8.elementsEqual(name.utf8)
    }

    private static let smallMap = 16
}
