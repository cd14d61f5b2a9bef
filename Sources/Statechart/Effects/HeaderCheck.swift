/// What may be sent as a header of an HTTP request (RFC 9110, section 5).
package enum HeaderCheck {
    /// Bytes of all names and values together.
    package static let longest = 32 << 10

    /// Headers that say how a request is sent, or that wfd makes of the effect itself; in lower case.
    package static let own: Set<String> = [
        "connection", "content-length", "expect", "host", "http2-settings", "idempotency-key", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "traceparent", "tracestate", "trailer", "transfer-encoding",
        "upgrade", "webhook-id", "webhook-signature", "webhook-timestamp",
    ]

    /// Why nothing can be sent under a name; nil when it can.
    package static func mistake(inName name: String) -> String? {
        guard isName(name) else { return "header \(name.quoted) is no header name" }
        return own.contains(name.lowercased()) ? "\(name.quoted) is set by wfd" : nil
    }

    /// Whether a name is a token of 1 to 200 bytes.
    static func isName(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && name.utf8.allSatisfy(isToken)
    }

    /// Why a value cannot be sent; nil when it can. The name is one that can.
    package static func mistake(inValue value: String, of name: String) -> String? {
        value.utf8.allSatisfy(isSendable) ? nil : "header \(name.quoted) has a line break or another control character"
    }

    /// Why headers cannot be sent together; nil when they can.
    static func mistake(in headers: [(name: String, value: String)]) -> String? {
        var known: Set<String> = []
        var bytes = 0
        for (name, value) in headers {
            if let mistake = mistake(inName: name) ?? mistake(inValue: value, of: name) { return mistake }
            guard known.insert(name.lowercased()).inserted else { return "header \(name.quoted) stands twice" }
            bytes += name.utf8.count + value.utf8.count + 4
        }
        return bytes > longest ? "the headers are longer than \(longest) bytes" : nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Anything but control characters, of which a tab is allowed.
    private static func isSendable(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == UInt8(ascii: "\t")
    }
}
