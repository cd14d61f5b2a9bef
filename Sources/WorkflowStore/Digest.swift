import Crypto
import Statechart

/// A SHA-256 digest.
package struct Digest: Hashable, Sendable {
    // Stored inline, not in an array: checking a history makes two digests for every row.
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

    /// Creates the digest of some bytes.
    package init(of bytes: some Sequence<UInt8>) {
        self =
            bytes.withContiguousStorageIfAvailable { Digest(of: $0) } ?? Array(bytes).withUnsafeBytes(Digest.init(of:))
    }

    private init(of bytes: UnsafeBufferPointer<UInt8>) {
        self.init(of: UnsafeRawBufferPointer(bytes))
    }

    /// Creates the HMAC of some bytes (RFC 2104); only a holder of the key can compute it.
    package init(of bytes: [UInt8], keyedWith key: Salt) {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key.bytes))
        self = code.withUnsafeBytes { Digest(bytes: $0) }
    }

    init(of bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { Digest(bytes: $0) }
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] { Swift.withUnsafeBytes(of: words) { Array($0) } }

    /// Calls a function with the 32 bytes in place; the pointer is valid during the call only.
    ///
    /// Not generic: other modules would call an unspecialized version, once or twice for every event.
    package func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        Swift.withUnsafeBytes(of: words, body)
    }

    /// The digest in lower-case hexadecimal.
    package var text: String { bytes.hexadecimal }

    /// Parses the form of `text`; `nil` for any other text.
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

    /// 32 zero bytes, which no text has: a placeholder for an unknown digest.
    package static let zero = Digest(bytes: Array(repeating: 0, count: 32))

    package static func == (lhs: Digest, rhs: Digest) -> Bool { lhs.words == rhs.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

/// Computes the digest of bytes that come in parts.
package struct RunningDigest: Sendable {
    private var hash = SHA256()

    package init() {}

    /// Adds the next part.
    package mutating func append(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// The digest of all parts so far.
    package var value: Digest { hash.finalize().withUnsafeBytes { Digest(bytes: $0) } }
}

/// The data of an instance that the digests of its rows cover.
package struct ChainInstance: Sendable {
    let uuid: UniqueID
    let name: InstanceName
    let salt: Salt

    package init(uuid: UniqueID, name: InstanceName, salt: Salt) {
        self.uuid = uuid
        self.name = name
        self.salt = salt
    }

    /// - Parameter record: Borrowed; to own the record, a caller would copy all of it.
    package init(_ record: borrowing InstanceRecord) {
        self.init(uuid: record.uuid, name: record.chainName, salt: record.salt)
    }
}

/// The data of the step's machine version that the digests of rows cover.
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
    /// Creates the digest of the stored data of a machine version, whatever its place.
    package init(sealing machine: MachineRecord) {
        var buffer = DigestBuffer()
        self = buffer.digest(sealing: machine)
    }
}
