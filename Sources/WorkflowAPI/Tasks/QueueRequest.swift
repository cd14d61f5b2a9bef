public import WorkflowJSON

/// The body of `PATCH /v1/queues/QUEUE`: what is not said stays as it is.
public struct QueueRequest: Equatable, WireObject, WireDescribed {
    /// A setting of a queue.
    public enum Setting<Value: Equatable & Sendable>: Equatable, Sendable {
        /// As it is.
        case kept
        /// Null on the wire: back to the default.
        case standard
        case set(Value)
    }

    /// How many may run at a time.
    public var concurrency: Setting<Int>
    /// How many may start in a span of time.
    public var rate: Setting<QueueRate>
    /// Whether nothing starts; nil to leave that as it is.
    public var paused: Bool?
    /// True also takes a name that no definition and no effect has.
    public var new: Bool?

    /// Takes the parts as they are.
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

    public static func schema(in book: inout SchemaBook) -> JSONObject {
        var concurrency = Int.bounds(APILimits.queueConcurrency)
        concurrency["type"] = ["integer", "null"]
        let rate: JSONValue = ["anyOf": [.object(QueueRate.schema(in: &book)), ["type": "null"]]]
        let flag = JSONValue.object(["type": "boolean"])
        return book.refer(
            to: Self.self,
            [
                "type": "object",
                "properties": ["concurrency": .object(concurrency), "rate": rate, "paused": flag, "new": flag],
            ])
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
    /// The whole name: one without a colon is that of a queue of tasks. Nil for what no queue is called.
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

    /// Whether it is what definitions have: letters, digits, `_`, `.` and `-`, first a letter or `_`.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "_.-".contains($0) }
    }

    /// Whether it is a host in lower case and a port, as `pay.example.com:443`, or `[::1]:8080`.
    private static func isPlace(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return false
        }
        let host = text[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        return (1...65_535).contains(port) && !host.isEmpty && host == host.lowercased()
            && (isBracketed || !host.contains(":")) && !host.utf8.contains(UInt8(ascii: "/"))
    }

    /// What a name must be, for messages.
    public static let rule = "a queue is called task:NAME, http:HOST:PORT or exec:NAME, and NAME alone is task:NAME"
}
