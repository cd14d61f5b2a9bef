/// Sixteen bytes that are hashed together with data, so that nobody can guess the data from its digest.
package struct Salt: Hashable, Sendable {
    // Stored inline, not in an array: every instance in memory has a salt. In the byte order of memory.
    private let high: UInt64
    private let low: UInt64

    /// - Precondition: `bytes` has 16 elements.
    package init(bytes: [UInt8]) {
        // Proof: they are random, or were counted where they were read.
        precondition(bytes.count == 16, "a salt has 16 bytes")
        self = bytes.withUnsafeBytes { Salt(first: $0) }
    }

    /// Reads the first 16 bytes.
    init(first bytes: UnsafeRawBufferPointer) {
        high = bytes.loadUnaligned(as: UInt64.self)
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Takes the first 16 bytes of a digest.
    init(firstOf digest: Digest) {
        var first = Salt.zero
        digest.withUnsafeBytes { first = Salt(first: $0) }
        self = first
    }

    /// Creates a random salt.
    package init(random: inout some RandomNumberGenerator) {
        high = .random(in: .min ... .max, using: &random)
        low = .random(in: .min ... .max, using: &random)
    }

    /// 16 zero bytes: a placeholder for an unknown salt.
    package static let zero = Salt(bytes: Array(repeating: 0, count: 16))

    /// The 16 bytes of the salt.
    package var bytes: [UInt8] { Swift.withUnsafeBytes(of: (high, low)) { Array($0) } }

    /// Calls a function with the 16 bytes in place; the pointer is valid during the call only.
    ///
    /// Not generic: other modules would call an unspecialized version, once or twice for every event.
    package func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        Swift.withUnsafeBytes(of: (high, low), body)
    }
}

/// The source of a journal row's commitment, by which the row's digest covers data, note, text key and name.
package enum RowSalt: Hashable, Sendable {
    /// The row's data and a salt derived from the instance's.
    case derived
    /// The row's data and the salt stored in the row.
    case kept(Salt)
    /// The commitment itself, stored in the row in place of the data.
    case redacted(commitment: Digest)
}
