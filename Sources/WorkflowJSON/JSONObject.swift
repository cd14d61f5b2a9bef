/// The members of a JSON object, kept in the order of their keys' UTF-8 bytes.
///
/// A lookup costs O(log n) comparisons, an insertion O(n) moves; objects here are small.
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

    /// Accesses the value of a key; setting `nil` removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            let place = place(of: key)
            return place.isHeld ? members[place.index].value : nil
        }
        set {
            let place = place(of: key)
            switch (place.isHeld, newValue) {
            case (true, let value?): members[place.index].value = value
            case (true, nil): members.remove(at: place.index)
            case (false, let value?): members.insert(Member(key: key, value: value), at: place.index)
            case (false, nil): break
            }
        }
    }

    /// Adds a member, or returns false if the key exists already. Cheap if keys come in order.
    public mutating func insert(_ value: JSONValue, forNewKey key: String) -> Bool {
        if let last = members.last, !last.key.precedesInBytes(key) {
            let place = place(of: key)
            if place.isHeld { return false }
            members.insert(Member(key: key, value: value), at: place.index)
        } else {
            members.append(Member(key: key, value: value))
        }
        return true
    }

    /// Replaces the value of an existing key; returns false if the key does not exist.
    package mutating func replace(_ value: JSONValue, forKey key: String) -> Bool {
        let place = place(of: key)
        if place.isHeld { members[place.index].value = value }
        return place.isHeld
    }

    /// Returns the index of a key, or the index at which it would be inserted.
    private func place(of key: String) -> (index: Int, isHeld: Bool) {
        var key = key
        return key.withUTF8 { key in
            var low = 0
            var high = members.count
            while low < high {
                let middle = (low + high) / 2
                var other = members[middle].key
                let order = other.withUTF8 { compare($0, key) }
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }
}

extension JSONObject: Equatable, ExpressibleByDictionaryLiteral {
    /// Creates an object; of two members with the same key the later one stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension String {
    /// Returns true if both are the same sequence of UTF-8 bytes (`==` on strings tests Unicode equivalence).
    func hasSameBytes(as other: String) -> Bool {
        withTwoTexts(self, other) { left, right in
            guard left.count == right.count else { return false }
            for index in left.indices where left[index] != right[index] { return false }
            return true
        }
    }

    /// Returns true if this string comes first in the order of UTF-8 bytes.
    func precedesInBytes(_ other: String) -> Bool {
        withTwoTexts(self, other) { compare($0, $1) < 0 }
    }
}

/// Compares two byte strings: less than 0 if the left one comes first, 0 if they are equal.
private func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
        return Int(left[index]) - Int(right[index])
    }
    return left.count - right.count
}

/// Lends the UTF-8 of two strings.
private func withTwoTexts<Value>(
    _ left: String, _ right: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Value
) -> Value {
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
}
