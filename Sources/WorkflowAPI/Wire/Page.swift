/// A part of a list.
public struct Page<Item: WireRecord>: WireRecord {
    public var items: [Item]
    /// Opaque: what to ask for to go on; nil when this was the last page. A page may be short, even empty, and still
    /// have a next one.
    public var nextPage: String?

    /// Takes the parts as they are.
    public init(items: [Item], nextPage: String? = nil) {
        self.items = items
        self.nextPage = nextPage
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        nextPage = try fields.optional("nextPage", \.nextPage)
    }
}

extension Page: Equatable where Item: Equatable {}
