/// A failure of an attempt, described by the words of retry rules.
package struct RetryFailure: Sendable, Equatable {
    /// The words that match the failure, narrowest first: `http-status.503`, `http-status.5xx`, `http-status`.
    let words: [String]

    /// - Parameter status: The status of the HTTP response; `nil` if there was no response.
    package init(type: String, status: Int64? = nil) {
        guard type == Self.httpStatus, let status, Self.statuses.contains(status) else {
            words = [type]
            return
        }
        words = ["\(type).\(status)", "\(type).\(status / 100)xx", type]
    }

    /// Creates the failure that a word of a rule names.
    init(word: String) {
        guard let status = Self.status(in: word) else {
            words = [word]
            return
        }
        words = [word] + (Int(status) == nil ? [] : ["\(Self.httpStatus).\(status.prefix(1))xx"]) + [Self.httpStatus]
    }

    /// The failure type of an HTTP response without success.
    private static let httpStatus = "http-status"
    private static let statuses: ClosedRange<Int64> = 100...999
}

// MARK: Words of rules

extension RetryFailure {
    /// Returns the failure types of an invocation's kind; `nil` for tasks, whose workers choose their own words.
    static func types(of effect: String) -> [String]? {
        switch effect {
        case "http":
            [
                httpStatus, "dns", "connect", "tls", "timeout", "too-large", "invalid-output", "invalid-request",
                "address-refused",
            ]
        case "exec": ["exit", "timeout", "interrupted", "too-large", "invalid-output", "invalid-request"]
        default: nil
        }
    }

    /// The rule for statuses, for messages.
    static let statusRule = "a status is 300 to 599, such as http-status.503, or a class: http-status.5xx"

    /// Returns the part after `http-status.`; `nil` for other words.
    static func status(in word: String) -> Substring? {
        word.hasPrefix(httpStatus + ".") ? word.dropFirst(httpStatus.utf8.count + 1) : nil
    }

    /// Returns true for an HTTP status without success, such as `503`, and for a class of such statuses, such as `5xx`.
    static func isStatus(_ text: Substring) -> Bool {
        ["3xx", "4xx", "5xx"].contains(text) || Int(text).map { (300...599).contains($0) && text.count == 3 } == true
    }

    /// Returns true if a worker may use the word for a failure.
    static func isWorkersWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
