public import WorkflowJSON

/// The body of `POST /v1/tasks/TASK/fail`.
public struct FailRequest: Equatable, WireRecord {
    /// The worker's own error type, which `error.invoke` has; `nil` for `failed`.
    public var type: String?
    /// The error's message for people.
    public var message: String
    /// Further data of the error, in any form.
    public var details: JSONValue?
    /// True if another attempt makes sense; `nil` for true.
    public var retry: Bool?
    /// The seconds to wait before the next attempt; `nil` for the definition's rule.
    public var retryAfter: Int?

    /// Creates a value from its parts.
    public init(
        type: String? = nil, message: String, details: JSONValue? = nil, retry: Bool? = nil, retryAfter: Int? = nil
    ) {
        self.type = type
        self.message = message
        self.details = details
        self.retry = retry
        self.retryAfter = retryAfter
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        type = try fields.optional("type", \.type, in: APILimits.errorTypeBytes)
        message = try fields.required("message", \.message)
        details = try fields.optional("details", \.details)
        retry = try fields.optional("retry", \.retry)
        retryAfter = try fields.optional("retryAfter", \.retryAfter, in: APILimits.retryAfterSeconds)
    }

    public func check() throws(WireError) {
        if let type, !type.utf8.allSatisfy(Self.isAllowed) {
            throw WireError(
                .invalidValue, path: "type", message: "Field 'type' must have letters, digits, '-', '_' and '.' only")
        }
        try WireError.check("message", message.utf8.count, atMost: APILimits.errorMessageBytes)
        try WireError.check("details", details?.textBytes ?? 0, atMost: APILimits.taskNoteBytes)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// The body of `POST /v1/tasks/TASK/heartbeat`.
public struct HeartbeatRequest: Equatable, WireRecord {
    /// The progress, for the next attempt; `nil` to keep the last report.
    public var progress: JSONValue?

    /// Creates a value from its parts.
    public init(progress: JSONValue? = nil) { self.progress = progress }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        progress = try fields.optional("progress", \.progress)
    }

    public func check() throws(WireError) {
        try WireError.check("progress", progress?.textBytes ?? 0, atMost: APILimits.taskNoteBytes)
    }
}

/// The answer to `POST /v1/tasks/TASK/heartbeat`.
public struct Heartbeat: Equatable, WireRecord {
    /// The time when the lease ends: without another heartbeat, other workers get the task.
    public var leasedUntil: WireTime

    /// Creates a value from its parts.
    public init(leasedUntil: WireTime) { self.leasedUntil = leasedUntil }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        leasedUntil = try fields.required("leasedUntil", \.leasedUntil)
    }
}

extension JSONValue {
    /// The length of the value's text in bytes.
    fileprivate var textBytes: Int { JSONWriter.bytes(self).count }
}

extension WireError {
    fileprivate static func check(_ field: String, _ bytes: Int, atMost limit: Int) throws(WireError) {
        guard bytes > limit else { return }
        throw WireError(
            .invalidValue, path: field, message: "Field '\(field)' must have \(limit) bytes at most, not \(bytes)")
    }
}
