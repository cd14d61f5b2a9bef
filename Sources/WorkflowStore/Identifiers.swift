/// The row number of a machine version.
package struct MachineID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The row number of an instance; assigned by the writer, never used again.
package struct InstanceID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a journal row: global, increasing, never used again; gaps are normal.
package struct Position: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a macrostep of one instance: 1 is its start.
package struct Seq: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: Seq { Seq(rawValue: rawValue + 1) }
}

/// A moment: milliseconds since 1970, UTC.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Sixteen bytes that name a store or an instance everywhere (RFC 9562).
package struct UniqueID: Hashable, Sendable {
    /// Always 16 bytes, in network order.
    package let bytes: [UInt8]

    /// - Precondition: `bytes` has 16 elements.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has 16 bytes")
        self.bytes = bytes
    }

    /// Reads the usual text form, in either case; nil for anything else.
    package init?(text: String) {
        let characters = Array(text.utf8)
        let hyphens = [8, 13, 18, 23]
        guard characters.count == 36, hyphens.allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else { return nil }
        let digits = characters.indices.filter { !hyphens.contains($0) }.map {
            Character(UnicodeScalar(characters[$0]))
        }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 32, digits.allSatisfy(\.isASCII) else { return nil }
        bytes = stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// A version 7 UUID: the time, then 74 random bits.
    package init(at time: Timestamp, random: inout some RandomNumberGenerator) {
        var bytes = (0..<6).reversed().map { UInt8(truncatingIfNeeded: time.rawValue >> ($0 * 8)) }
        let high = UInt64.random(in: .min ... .max, using: &random)
        let low = UInt64.random(in: .min ... .max, using: &random)
        bytes += (0..<2).map { UInt8(truncatingIfNeeded: high >> ($0 * 8)) }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: low >> ($0 * 8)) }
        bytes[6] = 0x70 | (bytes[6] & 0x0F)
        bytes[8] = 0x80 | (bytes[8] & 0x3F)
        self.bytes = bytes
    }

    /// The usual text form, in lower case.
    package var text: String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
