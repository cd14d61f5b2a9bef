/// A token as a caller writes it: `wfdt_ID_SECRET`, of letters and digits.
package struct AccessToken: Sendable {
    /// The identifier, which finds the token's record.
    package let id: String
    private let secret: String

    private static let mark = "wfdt"
    private static let idLength = 8
    /// 43 of 62 characters have 256 random bits.
    private static let secretLength = 43
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Makes a token with a new identifier, or with that of a token whose secret is replaced.
    ///
    /// The random bits come from the system (getrandom(2)).
    package init(id: String? = nil) {
        self.id = id ?? Self.random(Self.idLength)
        secret = Self.random(Self.secretLength)
    }

    /// Reads a token; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard text.utf8.count == Self.mark.count + Self.idLength + Self.secretLength + 2, parts.count == 3,
            // Proof: there are three.
            parts[0] == Self.mark, parts[1].utf8.count == Self.idLength,
            parts[1].utf8.allSatisfy(Self.isPlain), parts[2].utf8.allSatisfy(Self.isPlain)
        else { return nil }
        id = String(parts[1])
        secret = String(parts[2])
    }

    /// The text that the caller sends. It must stand in no log, no error and no file.
    package var text: String { "\(Self.mark)_\(id)_\(secret)" }

    var digest: SecretDigest { SecretDigest(of: secret) }

    /// The token without its secret.
    package var mark: TokenMark { TokenMark(id: id, digest: digest) }

    private static func random(_ length: Int) -> String {
        var source = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &source)] })
    }

    static func isID(_ text: String) -> Bool { text.utf8.count == idLength && text.utf8.allSatisfy(isPlain) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
