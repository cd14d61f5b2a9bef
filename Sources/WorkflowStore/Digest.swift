import Crypto
import Statechart

/// A SHA-256 digest.
package struct Digest: Hashable, Sendable {
    // In place, and not in an array of their own: checking a history makes two for every row.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Precondition: `bytes` has 32 elements.
    package init(bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Digest(bytes: $0) }
    }

    /// - Precondition: `bytes` has 32 elements.
    package init(bytes: UnsafeRawBufferPointer) {
        // Proof: they come from SHA-256, or were counted where they were read.
        precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes")
        words = (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// The digest of some bytes.
    package init(of bytes: some Sequence<UInt8>) {
        self =
            bytes.withContiguousStorageIfAvailable { Digest(of: $0) } ?? Array(bytes).withUnsafeBytes(Digest.init(of:))
    }

    private init(of bytes: UnsafeBufferPointer<UInt8>) {
        self.init(of: UnsafeRawBufferPointer(bytes))
    }

    /// The HMAC of some bytes (RFC 2104): only who knows the key can make it.
    package init(of bytes: [UInt8], keyedWith key: Salt) {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key.bytes))
        self = code.withUnsafeBytes { Digest(bytes: $0) }
    }

    init(of bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { Digest(bytes: $0) }
    }

    /// Always 32 bytes.
    package var bytes: [UInt8] { Swift.withUnsafeBytes(of: words) { Array($0) } }

    /// The 32 bytes where they are, for as long as the call.
    ///
    /// Not generic: other modules would call it unspecialized, once or twice for every event.
    package func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        Swift.withUnsafeBytes(of: words, body)
    }

    /// In hexadecimal, lower case.
    package var text: String { bytes.hexadecimal }

    /// Reads what `text` gives; nil for anything else.
    package init?(text: some StringProtocol) {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        self.init(bytes: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// 32 bytes of zero, which no text has: for a place where no digest is known.
    package static let zero = Digest(bytes: Array(repeating: 0, count: 32))

    package static func == (lhs: Digest, rhs: Digest) -> Bool { lhs.words == rhs.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

/// The digest of bytes that come in parts.
package struct RunningDigest: Sendable {
    private var hash = SHA256()

    package init() {}

    /// The next part.
    package mutating func append(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all parts so far.
    package var value: Digest { hash.finalize().withUnsafeBytes { Digest(bytes: $0) } }
}

/// What the digests of an instance's rows cover of the instance itself.
package struct ChainInstance: Sendable {
    let uuid: UniqueID
    let name: InstanceName
    let salt: Salt

    package init(uuid: UniqueID, name: InstanceName, salt: Salt) {
        self.uuid = uuid
        self.name = name
        self.salt = salt
    }

    /// - Parameter record: Borrowed: to own it, a caller would copy all of it.
    package init(_ record: borrowing InstanceRecord) {
        self.init(uuid: record.uuid, name: record.chainName, salt: record.salt)
    }
}

/// What the digests of rows cover of the machine version that took the step.
package struct ChainMachine: Sendable {
    let name: MachineName
    let version: MachineVersion
    let digest: Digest
    let semantics: Int64

    package init(name: MachineName, version: MachineVersion, digest: Digest, semantics: Int64) {
        self.name = name
        self.version = version
        self.digest = digest
        self.semantics = semantics
    }

    package init(_ record: MachineRecord) {
        self.init(name: record.name, version: record.version, digest: record.digest, semantics: record.semantics)
    }
}

extension Digest {
    /// The digest of what is stored of a machine version, not of where.
    package init(sealing machine: MachineRecord) {
        var buffer = DigestBuffer()
        self = buffer.digest(sealing: machine)
    }
}
