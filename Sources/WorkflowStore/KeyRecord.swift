/// A caller's key in its stored form: the 16 bytes of a UUID, or a zero byte and a text. Two zero bytes precede a text
/// that would otherwise have 16 bytes in all.
package struct RequestKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Creates a key of stored bytes, unchecked.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a caller's key: a UUID in its usual text form, or another text of 1 to 200 printable ASCII characters.
    /// `nil` for any other text.
    package init?(text: String) {
        guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        let zeros: [UInt8] = text.utf8.count == 15 ? [0, 0] : [0]
        bytes = UniqueID(text: text)?.bytes ?? zeros + Array(text.utf8)
    }

    /// True if the key is a text, which may tell who used it.
    package var isText: Bool { bytes.count != 16 }

    /// The key as a caller would write it.
    package var text: String {
        if bytes.count == 16 { return UniqueID(bytes: bytes).text }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }

    /// The time that is embedded in a version 7 UUID (RFC 9562, section 5.7); `nil` for every other key.
    package var time: Timestamp? {
        guard bytes.count == 16, bytes[6] >> 4 == 7, bytes[8] >> 6 == 2 else { return nil }
        return Timestamp(rawValue: bytes[0..<6].reduce(0) { $0 << 8 | Int64($1) })
    }
}

/// The scope in which a key identifies one request.
package enum KeyScope: Hashable, Sendable {
    /// The events of one instance.
    case instance(InstanceID)
    /// The starts of one machine, whatever its version; identified by the machine's first version.
    case machine(MachineID)

    /// The stored form: machines count downwards, below all instances.
    package var rawValue: Int64 {
        switch self {
        case .instance(let id): id.rawValue
        case .machine(let id): -id.rawValue
        }
    }
}

/// A remembered key, with the journal row that it was written with.
package struct KeyRecord: Hashable, Sendable {
    package var key: RequestKey
    package var scope: KeyScope
    package var position: Position

    package init(key: RequestKey, scope: KeyScope, position: Position) {
        self.key = key
        self.scope = scope
        self.position = position
    }
}

/// The rule by which a batch forgets keys.
package struct KeyRetention: Sendable, Equatable {
    /// The time before which used keys are forgotten; `nil` keeps keys of any age.
    package var oldest: Timestamp?
    /// The number of keys that may be remembered; beyond it, the oldest are forgotten first.
    package var count: Int64
    /// The embedded time from which keys are kept even if there are too many.
    package var newest: Timestamp
    /// The number of journal rows that one batch reads for this purpose.
    package var rows: Int

    package init(oldest: Timestamp?, count: Int64, newest: Timestamp, rows: Int) {
        self.oldest = oldest
        self.newest = newest
        self.count = count
        self.rows = rows
    }
}
