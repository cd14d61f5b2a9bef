import Statechart
import WorkflowJSON

/// An HTTP request of a machine; disallowed requests were refused with the definition.
struct HTTPCall: Sendable {
    /// The body of the request.
    struct Body: Sendable {
        let type: String
        let bytes: [UInt8]
    }

    let method: String
    let url: String
    let headers: [(name: String, value: String)]
    let body: Body?
    /// The headers whose values have placeholders for secrets, such as `Bearer {pay_token}`.
    let secretHeaders: [(name: String, template: SecretText)]
    /// The secrets that sign the request.
    let signers: [String]
    let timeout: Duration
    /// The largest number of bytes of the answer's body.
    let maxBytes: Int
    /// The headers of the answer, in lower case, that the machine gets beside the usual ones.
    let keptHeaders: [String]

    /// Reads the request of an effect; `nil` for a request that no version of wfd has written.
    init?(_ request: JSONObject) {
        guard let http = request["http"]?.object, let method = http["method"]?.string, let url = http["url"]?.string
        else { return nil }
        self.method = method
        self.url = url
        headers = Self.texts(http["headers"])
        var secretHeaders: [(name: String, template: SecretText)] = []
        for (name, text) in Self.texts(http["secretHeaders"]) {
            guard let template = try? SecretText(text) else { return nil }
            secretHeaders.append((name, template))
        }
        self.secretHeaders = secretHeaders
        signers =
            switch http["sign"] {
            case .string(let name)?: [name]
            case .array(let names)?: names.compactMap(\.string)
            default: []
            }
        timeout = .milliseconds(http["attemptTimeout"]?.integer ?? Self.timeout)
        maxBytes = Int(http["maxBytes"]?.integer ?? Self.maxBytes)
        var kept: [String] = []
        if case .array(let names)? = http["keepHeaders"] { kept = names.compactMap { $0.string?.lowercased() } }
        keptHeaders = kept
        body =
            if let value = http["body"] {
                Body(type: "application/json", bytes: JSONWriter.bytes(value))
            } else if let form = http["form"] {
                Body(type: "application/x-www-form-urlencoded", bytes: Self.form(Self.texts(form)))
            } else if let text = http["text"]?.string {
                Body(type: "text/plain; charset=utf-8", bytes: Array(text.utf8))
            } else {
                nil
            }
    }

    /// The default timeout of an attempt in milliseconds.
    private static let timeout: Int64 = 30_000
    private static let maxBytes: Int64 = 256 << 10

    private static func texts(_ value: JSONValue?) -> [(name: String, value: String)] {
        value?.object?.members.compactMap { member in member.value.string.map { (member.key, $0) } } ?? []
    }

    /// Encodes fields as HTML forms do.
    private static func form(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&").utf8)
    }

    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                encoded.append(Character(UnicodeScalar(byte)))
            case UInt8(ascii: " "): encoded.append("+")
            default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

extension JSONValue {
    var integer: Int64? { if case .int(let number) = self { number } else { nil } }
}
