/// Sixteen bytes that are hashed together with what nobody shall guess from its digest.
package struct Salt: Hashable, Sendable {
    // In place, and not in an array of their own: every instance that is kept in memory has one. As they lie in memory.
    private let high: UInt64
    private let low: UInt64

    /// - Precondition: `bytes` has 16 elements.
    package init(bytes: [UInt8]) {
        // Proof: they are random, or were counted where they were read.
        precondition(bytes.count == 16, "a salt has 16 bytes")
        self = bytes.withUnsafeBytes { Salt(first: $0) }
    }

    /// The first 16 bytes.
    init(first bytes: UnsafeRawBufferPointer) {
        high = bytes.loadUnaligned(as: UInt64.self)
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// The first 16 bytes of a digest.
    init(firstOf digest: Digest) {
        var first = Salt.zero
        digest.withUnsafeBytes { first = Salt(first: $0) }
        self = first
    }

    /// A new one.
    package init(random: inout some RandomNumberGenerator) {
        high = .random(in: .min ... .max, using: &random)
        low = .random(in: .min ... .max, using: &random)
    }

    /// 16 bytes of zero: for a place where no salt is known.
    package static let zero = Salt(bytes: Array(repeating: 0, count: 16))

    /// Always 16 bytes.
    package var bytes: [UInt8] { Swift.withUnsafeBytes(of: (high, low)) { Array($0) } }

    /// The 16 bytes where they are, for as long as the call.
    ///
    /// Not generic: other modules would call it unspecialized, once or twice for every event.
    package func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        Swift.withUnsafeBytes(of: (high, low), body)
    }
}

/// How the commitment of a journal row is known: what its digest says of data, note, text key and name.
package enum RowSalt: Hashable, Sendable {
    /// By what the row says and a salt that is derived from the instance's.
    case derived
    /// By what the row says and the salt that stands in it.
    case kept(Salt)
    /// It stands in the row, in the place of what it was made of.
    case redacted(commitment: Digest)
}
