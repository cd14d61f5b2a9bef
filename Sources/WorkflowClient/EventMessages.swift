import WorkflowAPI

/// One message of a stream of server-sent events.
struct EventMessage {
    /// The last id that was told, in this message or before.
    var id: String?
    /// Empty for a message without a name.
    var name = ""
    /// Empty for a message that only tells an id.
    var data: [UInt8] = []
}

/// The messages of an answer in events (WHATWG HTML, 9.2.6), one after another; comments and fields that are not known
/// are passed over.
struct EventMessages {
    private var lines: ByteLines
    private var id: String?

    init(_ lines: ByteLines) {
        self.lines = lines
    }

    /// The next message; nil when the stream has ended. What was begun and not ended by then is none.
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
