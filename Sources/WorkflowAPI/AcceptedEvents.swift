public import JSON

/// The events of an instance's machine, and the tags of its states now.
public struct AcceptedEvents: Hashable, WireObject {
    public var items: [EventItem]
    /// The tags of the active states, each once; nil when no state of the machine has any.
    public var tags: [String]?

    /// Takes the parts as they are.
    public init(items: [EventItem], tags: [String]? = nil) {
        self.items = items
        self.tags = tags
    }

    public init(fields: inout WireFields) throws(WireError) {
        items = try fields.required("items")
        tags = try fields.optional("tags")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("items", items)
            writer.field("tags", ifPresent: tags)
        }
    }
}
