import Foundation
import WorkflowJSON

/// Replaces secrets in received text before the text is stored.
struct SecretMask {
    private let secrets: [(bytes: [UInt8], mask: [UInt8])]

    init(_ secrets: [SecretFolder.Secret]) {
        // The longest secret comes first, because it may contain another one.
        self.secrets = secrets.flatMap { secret in
            // Each line of a file with several keys is a secret.
            secret.text.split(whereSeparator: \.isNewline).map {
                (Array($0.utf8), Array("[secret \(secret.name)]".utf8))
            }
        }
        .sorted { $0.bytes.count > $1.bytes.count }
    }

    func masked(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for secret in secrets where bytes.count >= secret.bytes.count {
            bytes.replace(secret.bytes, with: secret.mask)
        }
        return bytes
    }

    func masked(_ text: String) -> String {
        if secrets.isEmpty { return text }
        return String(decoding: masked(Array(text.utf8)), as: UTF8.self)
    }

    /// Masks a JSON value, where a secret may be escaped differently than in its text.
    func masked(_ value: JSONValue) -> JSONValue {
        if secrets.isEmpty { return value }
        switch value {
        case .string(let text): return .string(masked(text))
        case .array(let elements): return .array(elements.map { masked($0) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members { result[masked(member.key)] = masked(member.value) }
            return .object(result)
        case .null, .bool, .int, .double: return value
        }
    }
}
