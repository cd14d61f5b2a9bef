import WorkflowAPI

/// One message of a stream of server-sent events.
struct EventMessage {
    /// The last id that was received, in this message or an earlier one.
    var id: String?
    /// The name; empty for a message without a name.
    var name = ""
    /// The data; empty for a message that only has an id.
    var data: [UInt8] = []
}

/// The messages of an answer in events (WHATWG HTML, 9.2.6), in order; comments and unknown fields are skipped.
struct EventMessages {
    private var lines: ByteLines
    private var id: String?

    init(_ lines: ByteLines) {
        self.lines = lines
    }

    /// Returns the next message, or `nil` at the end of the stream. An incomplete last message is dropped.
    mutating func next() async throws -> EventMessage? {
        var message = EventMessage(id: id)
        var hasFields = false
        while let (line, isWhole) = try await lines.next(), isWhole {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if text.isEmpty {
                guard hasFields else { continue }
                id = message.id
                return message
            }
            let name = text.prefix { $0 != UInt8(ascii: ":") }
            var value = text.dropFirst(name.count + 1)
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            switch String(decoding: name, as: UTF8.self) {
            case "id": message.id = String(decoding: value, as: UTF8.self)
            case "event": message.name = String(decoding: value, as: UTF8.self)
            case "data": message.data += message.data.isEmpty ? Array(value) : [UInt8(ascii: "\n")] + value
            default: continue
            }
            hasFields = true
        }
        return nil
    }
}
