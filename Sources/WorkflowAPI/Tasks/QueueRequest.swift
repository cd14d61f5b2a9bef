public import WorkflowJSON

/// The body of `PATCH /v1/queues/QUEUE`. An absent field keeps its setting.
public struct QueueRequest: Equatable, WireObject {
    /// A setting of a queue.
    public enum Setting<Value: Equatable & Sendable>: Equatable, Sendable {
        /// The setting stays the same.
        case kept
        /// The setting becomes the default; null on the wire.
        case standard
        case set(Value)
    }

    /// The number of effects that may run at a time; null on the wire sets the default.
    public var concurrency: Setting<Int>
    /// The number of effects that may start in an interval; null on the wire sets the default.
    public var rate: Setting<QueueRate>
    /// True to stop the queue from starting effects; `nil` to keep the setting.
    public var paused: Bool?
    /// True to accept also a name that no definition and no effect has.
    public var new: Bool?

    /// Creates a value from its parts.
    public init(
        concurrency: Setting<Int> = .kept, rate: Setting<QueueRate> = .kept, paused: Bool? = nil, new: Bool? = nil
    ) {
        self.concurrency = concurrency
        self.rate = rate
        self.paused = paused
        self.new = new
    }

    public init(fields: inout WireFields) throws(WireError) {
        if let count: Int = try fields.optional("concurrency", in: APILimits.queueConcurrency) {
            concurrency = .set(count)
        } else {
            concurrency = fields.isNull("concurrency") ? .standard : .kept
        }
        if let rate = try fields.optional("rate", as: QueueRate.self) {
            self.rate = .set(rate)
        } else {
            rate = fields.isNull("rate") ? .standard : .kept
        }
        paused = try fields.optional("paused")
        new = try fields.optional("new")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch concurrency {
            case .kept: break
            case .standard: writer.field("concurrency", JSONValue.null)
            case .set(let count): writer.field("concurrency", count)
            }
            switch rate {
            case .kept: break
            case .standard: writer.field("rate", JSONValue.null)
            case .set(let rate): writer.field("rate", rate)
            }
            writer.field("paused", ifPresent: paused)
            writer.field("new", ifPresent: new)
        }
    }
}

/// The query of `GET /v1/queues`.
public typealias QueueListParameters = PageParameters

/// A queue's name, as callers write it.
public enum QueueName {
    /// Returns the complete name: a name without a colon means a queue of tasks. `nil` if no queue can have the name.
    public static func whole(_ text: String) -> String? {
        let name = text.contains(":") ? text : "task:" + text
        guard let colon = name.firstIndex(of: ":"), name.utf8.count <= APILimits.queueNameBytes,
            name.index(after: colon) < name.endIndex, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let rest = name[name.index(after: colon)...]
        switch name[..<colon] {
        case "task", "exec": return isName(rest) ? name : nil
        case "http": return isPlace(rest) ? name : nil
        default: return nil
        }
    }

    /// Returns true for a name as in definitions: letters, digits, `_`, `.` and `-`, first a letter or `_`.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "_.-".contains($0) }
    }

    /// Returns true for a host in lower case with a port, as `pay.example.com:443` or `[::1]:8080`.
    private static func isPlace(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return false
        }
        let host = text[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        return (1...65_535).contains(port) && !host.isEmpty && host == host.lowercased()
            && (isBracketed || !host.contains(":")) && !host.utf8.contains(UInt8(ascii: "/"))
    }

    /// The rule for queue names, for messages.
    public static let rule = "a queue is called task:NAME, http:HOST:PORT or exec:NAME, and NAME alone is task:NAME"
}
