/// The members of a JSON object, kept in the order of their keys' UTF-8 bytes.
///
/// Looking a key up costs O(log n) comparisons, adding one O(n) moves; objects here are small.
public struct JSONObject: Sendable {
    /// One member of an object.
    public struct Member: Sendable, Equatable {
        public let key: String
        public var value: JSONValue

        public static func == (lhs: Member, rhs: Member) -> Bool {
            lhs.key.hasSameBytes(as: rhs.key) && lhs.value == rhs.value
        }
    }

    /// All members, sorted by key.
    public private(set) var members: [Member] = []

    public init() {}

    public var isEmpty: Bool { members.isEmpty }
    public var count: Int { members.count }
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            let index = insertionIndex(of: key)
            return holds(key, at: index) ? members[index].value : nil
        }
        set {
            let index = insertionIndex(of: key)
            switch (holds(key, at: index), newValue) {
            case (true, let value?): members[index].value = value
            case (true, nil): members.remove(at: index)
            case (false, let value?): members.insert(Member(key: key, value: value), at: index)
            case (false, nil): break
            }
        }
    }

    /// Adds a member, or returns false when the key is there already. Cheap when keys come in order.
    public mutating func insert(_ value: JSONValue, forNewKey key: String) -> Bool {
        if let last = members.last, !last.key.precedesInBytes(key) {
            let index = insertionIndex(of: key)
            if holds(key, at: index) { return false }
            members.insert(Member(key: key, value: value), at: index)
        } else {
            members.append(Member(key: key, value: value))
        }
        return true
    }

    private func holds(_ key: String, at index: Int) -> Bool {
        index < members.count && members[index].key.hasSameBytes(as: key)
    }

    private func insertionIndex(of key: String) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].key.precedesInBytes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension JSONObject: Equatable, ExpressibleByDictionaryLiteral {
    /// Of two members with the same key the later one stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension String {
    /// Whether both are the same sequence of UTF-8 bytes (`==` on strings asks for Unicode equivalence).
    func hasSameBytes(as other: String) -> Bool {
        withTwoTexts(self, other) { left, right in
            guard left.count == right.count else { return false }
            for index in left.indices where left[index] != right[index] { return false }
            return true
        }
    }

    /// Whether this comes first in the order of UTF-8 bytes.
    func precedesInBytes(_ other: String) -> Bool {
        withTwoTexts(self, other) { left, right in
            for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                return left[index] < right[index]
            }
            return left.count < right.count
        }
    }
}

/// Lends the UTF-8 of two strings.
private func withTwoTexts<Value>(
    _ left: String, _ right: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Value
) -> Value {
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
}
