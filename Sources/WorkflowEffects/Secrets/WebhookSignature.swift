import Crypto
import Foundation

/// What a receiver knows a sender by, as Standard Webhooks have it: <https://www.standardwebhooks.com>.
enum WebhookSignature {
    /// The headers of a message.
    ///
    /// - Parameters:
    ///   - id: The same for each attempt.
    ///   - time: Seconds since 1970.
    static func headers(
        id: String, time: Int64, body: [UInt8], keys: [SecretFolder.Secret]
    ) throws(SecretFolder.Missing) -> [(name: String, value: String)] {
        let message = Array("\(id).\(time).".utf8) + body
        var signatures: [String] = []
        for key in keys {
            // While a key is replaced by another there is a line for each.
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
        // Some tools write the public half behind the private one.
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
