/// Sixteen bytes that identify a store or an instance globally (RFC 9562).
package struct UniqueID: Hashable, Sendable {
    // Stored inline, not in an array: every instance in memory has an id. In the byte order of memory.
    private let high: UInt64
    private let low: UInt64

    /// - Precondition: `bytes` has 16 elements.
    package init(bytes: [UInt8]) {
        // Proof: they are part of a digest or a text, or were counted where they were read.
        precondition(bytes.count == 16, "a UUID has 16 bytes")
        (high, low) = bytes.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    /// Parses the usual text form, in upper or lower case; `nil` for any other text.
    package init?(text: String) {
        let characters = Array(text.utf8)
        let hyphens = [8, 13, 18, 23]
        guard characters.count == 36, hyphens.allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else { return nil }
        let digits = characters.indices.filter { !hyphens.contains($0) }.map {
            Character(UnicodeScalar(characters[$0]))
        }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 32, digits.allSatisfy(\.isASCII) else { return nil }
        // Proof: two digits of 0 to 15 make at most 255.
        self.init(bytes: stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }

    /// Creates a version 7 UUID: the time, then 74 random bits.
    package init(at time: Timestamp, random: inout some RandomNumberGenerator) {
        let first = UInt64.random(in: .min ... .max, using: &random)
        let second = UInt64.random(in: .min ... .max, using: &random)
        // The lowest bytes of the random numbers come first.
        let tail = UInt64(first & 0x0F) << 8 | UInt64(first >> 8 & 0xFF)
        high = (UInt64(truncatingIfNeeded: time.rawValue) << 16 | 0x7000 | tail).bigEndian
        low = (second.byteSwapped & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian
    }

    /// The 16 bytes in network order.
    package var bytes: [UInt8] { Swift.withUnsafeBytes(of: (high, low)) { Array($0) } }

    /// Calls a function with the 16 bytes in place; the pointer is valid during the call only.
    ///
    /// Not generic: other modules would call an unspecialized version, once or twice for every event.
    package func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        Swift.withUnsafeBytes(of: (high, low), body)
    }

    /// The usual text form, in lower case.
    package var text: String {
        let bytes = bytes
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { bytes[$0].hexadecimal }.joined(separator: "-")
    }
}
