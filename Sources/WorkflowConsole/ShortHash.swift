/// A short text that differs for different content. It hides nothing, and somebody who tries finds two of the same.
enum ShortHash {
    /// Returns the hash of bytes by FNV-1a (RFC 9923).
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    /// Returns the hash of texts one after the other.
    static func text(of texts: [String]) -> String { text(of: texts.joined(separator: "\n").utf8) }
}
