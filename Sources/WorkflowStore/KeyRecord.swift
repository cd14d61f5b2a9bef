/// A caller's key, in the form in which it is stored: the 16 bytes of a UUID, or a zero byte and a text; two zero bytes
/// where that would make 16.
package struct RequestKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Takes stored bytes as they are.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads what a caller gave: a UUID in its usual text form, or any other text of 1 to 200 printable ASCII
    /// characters. Nil for anything else.
    package init?(text: String) {
        guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        let zeros: [UInt8] = text.utf8.count == 15 ? [0, 0] : [0]
        bytes = UniqueID(text: text)?.bytes ?? zeros + Array(text.utf8)
    }

    /// Whether it is a text, which may tell of who used it.
    package var isText: Bool { bytes.count != 16 }

    /// What a caller would write.
    package var text: String {
        if bytes.count == 16 { return UniqueID(bytes: bytes).text }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }

    /// The time that a version 7 UUID says (RFC 9562, section 5.7); nil for every other key.
    package var time: Timestamp? {
        guard bytes.count == 16, bytes[6] >> 4 == 7, bytes[8] >> 6 == 2 else { return nil }
        return Timestamp(rawValue: bytes[0..<6].reduce(0) { $0 << 8 | Int64($1) })
    }
}

/// Within what a key names one request.
package enum KeyScope: Hashable, Sendable {
    /// Events of one instance.
    case instance(InstanceID)
    /// Starts of one machine, whatever its version; named by the machine's first one.
    case machine(MachineID)

    /// As stored: machines count downwards, below all instances.
    package var rawValue: Int64 {
        switch self {
        case .instance(let id): id.rawValue
        case .machine(let id): -id.rawValue
        }
    }
}

/// A key that is remembered, and the journal row that it was written with.
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

/// Which keys are to be forgotten with a batch.
package struct KeyRetention: Sendable, Equatable {
    /// Keys used before are forgotten; nil keeps them whatever their age.
    package var oldest: Timestamp?
    /// Keys that may be remembered; more than these are forgotten, the oldest first.
    package var count: Int64
    /// Keys that say a time from here on are kept even when there are too many.
    package var newest: Timestamp
    /// Journal rows that one batch looks at for it.
    package var rows: Int

    package init(oldest: Timestamp?, count: Int64, newest: Timestamp, rows: Int) {
        self.oldest = oldest
        self.newest = newest
        self.count = count
        self.rows = rows
    }
}
