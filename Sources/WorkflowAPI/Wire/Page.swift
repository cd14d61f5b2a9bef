/// A page of a list.
public struct Page<Item: WireRecord>: WireRecord {
    public var items: [Item]
    /// The opaque token of the next page; `nil` on the last page. A page may be short, even empty, and still have a
    /// next one.
    public var nextPage: String?

    /// Creates a value from its parts.
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
