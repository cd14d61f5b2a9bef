import Crypto
import Foundation

/// The signature by which a receiver recognizes a sender, per Standard Webhooks: <https://www.standardwebhooks.com>.
enum WebhookSignature {
    /// Returns the signed headers of a message.
    ///
    /// - Parameters:
    ///   - id: The id, the same for each attempt.
    ///   - time: Seconds since 1970.
    static func headers(
        id: String, time: Int64, body: [UInt8], keys: [SecretFolder.Secret]
    ) throws(SecretFolder.Missing) -> [(name: String, value: String)] {
        let message = Array("\(id).\(time).".utf8) + body
        var signatures: [String] = []
        for key in keys {
            // During a key rotation the file has one line per key.
            for line in key.text.split(whereSeparator: \.isNewline) {
                guard let signature = signature(of: message, String(line)) else {
                    throw .init(
                        reason: "secret '\(key.name)' is no key to sign with: a line is 'whsec_' or 'whsk_' and base64")
                }
                signatures.append(signature)
            }
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(time)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    private static func signature(of message: [UInt8], _ line: String) -> String? {
        if let key = bytes(line, after: "whsec_") {
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            return "v1," + Data(code).base64EncodedString()
        }
        // Some tools write the public half after the private one.
        if let key = bytes(line, after: "whsk_"),
            let signer = try? Curve25519.Signing.PrivateKey(rawRepresentation: key.count == 64 ? key.prefix(32) : key),
            let signature = try? signer.signature(for: message)
        {
            return "v1a," + signature.base64EncodedString()
        }
        return nil
    }

    private static func bytes(_ line: String, after prefix: String) -> Data? {
        guard line.hasPrefix(prefix), let bytes = Data(base64Encoded: String(line.dropFirst(prefix.count))),
            !bytes.isEmpty
        else { return nil }
        return bytes
    }
}
