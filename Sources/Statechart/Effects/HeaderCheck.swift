/// The rules for headers of an HTTP request (RFC 9110, section 5).
package enum HeaderCheck {
    /// The most bytes of all names and values together.
    package static let longest = 32 << 10

    /// The headers that control how a request is sent, or that wfd derives from the effect; in lower case.
    package static let own: Set<String> = [
        "connection", "content-length", "expect", "host", "http2-settings", "idempotency-key", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "traceparent", "tracestate", "trailer", "transfer-encoding",
        "upgrade", "webhook-id", "webhook-signature", "webhook-timestamp",
    ]

    /// Returns the reason why no header with a name can be sent; `nil` if it can.
    package static func mistake(inName name: String) -> String? {
        guard isName(name) else { return "header \(name.quoted) is no header name" }
        return own.contains(name.lowercased()) ? "\(name.quoted) is set by wfd" : nil
    }

    /// Returns true if a name is a token of 1 to 200 bytes.
    static func isName(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && name.utf8.allSatisfy(isToken)
    }

    /// Returns the reason why a value cannot be sent; `nil` if it can. The name must be valid.
    package static func mistake(inValue value: String, of name: String) -> String? {
        value.utf8.allSatisfy(isSendable) ? nil : "header \(name.quoted) has a line break or another control character"
    }

    /// Returns the reason why headers cannot be sent together; `nil` if they can.
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

    /// Returns true for every byte that is not a control character, and for a tab.
    private static func isSendable(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == UInt8(ascii: "\t")
    }
}
