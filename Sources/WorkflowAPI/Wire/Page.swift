public import WorkflowJSON

/// A part of a list.
public struct Page<Item: WireObject>: WireObject {
    public var items: [Item]
    /// Opaque: what to ask for to go on; nil when this was the last page. A page may be short, even empty, and still
    /// have a next one.
    public var nextPage: String?

    /// Takes the parts as they are.
    public init(items: [Item], nextPage: String? = nil) {
        self.items = items
        self.nextPage = nextPage
    }

    public init(fields: inout WireFields) throws(WireError) {
        items = try fields.required("items")
        nextPage = try fields.optional("nextPage")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("items", items)
            writer.field("nextPage", ifPresent: nextPage)
        }
    }
}

extension Page: Equatable where Item: Equatable {}
