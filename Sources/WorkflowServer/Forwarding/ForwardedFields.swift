import HTTPTypes
import WorkflowAPI

/// The header fields of forwarded requests and of their answers.
enum ForwardedFields {
    /// The fields of one connection (RFC 9110, 7.6.1), and those by which a body is framed.
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "content-length", "expect", "host",
    ]

    /// The fields by which the gate has decided: who calls, and from which page.
    private static let ofGate: Set<String> = [
        "authorization", "cookie", "origin", "sec-fetch-site", "wfd-on-behalf-of", "wfd-forwarded-caller",
    ]

    /// The fields that each daemon adds to its answers.
    private static let ofAnswer: Set<String> = ["date", "server", "x-content-type-options"]

    /// Returns the fields of a request for the other daemon, with the caller.
    static func request(_ fields: HTTPFields, of caller: ForwardedCaller) -> HTTPFields {
        var left = Self.left(of: fields, without: ofGate)
        left[.forwardedCaller] = caller.header
        return left
    }

    /// Returns the fields of an answer for the caller.
    ///
    /// - Parameter isHead: True if the answer has the length of a body that does not follow.
    static func answer(_ fields: HTTPFields, isHead: Bool) -> HTTPFields {
        var left = Self.left(of: fields, without: ofAnswer)
        if isHead { left[.contentLength] = fields[.contentLength] }
        return left
    }

    private static func left(of fields: HTTPFields, without others: Set<String>) -> HTTPFields {
        let named = Set(
            fields[values: .connection].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
                .map { $0.lowercased() })
        var left = HTTPFields()
        for field in fields {
            let name = field.name.canonicalName
            if !ofConnection.contains(name), !others.contains(name), !named.contains(name) { left.append(field) }
        }
        return left
    }

    /// Returns a target as the parts of a URL allow it (RFC 3986, 3.3 and 3.4): every other byte is percent-encoded,
    /// and means the same.
    static func target(path: String, query: String?) throws(Problem) -> String {
        guard let path = encoded(path) else {
            throw Problem(.routeNotFound, detail: "The path is not percent-encoded text")
        }
        guard let query else { return path }
        guard let query = encoded(query) else {
            throw Problem(.invalidParameter, detail: "The query is not percent-encoded text")
        }
        return "\(path)?\(query)"
    }

    private static let kept = Set("/?:@!$&'()*+,;=-._~".utf8)

    /// Returns text with every byte that is not kept in percent-encoding; `nil` if the text has a percent sign without
    /// two hexadecimal digits.
    private static func encoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                guard bytes[(place + 1)...].prefix(2).count(where: isHexadecimal) == 2 else { return nil }
                encoded.append(byte)
            } else if kept.contains(byte) || isLetterOrDigit(byte) {
                encoded.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%\(byte < 16 ? "0" : "")\(digits)".utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
