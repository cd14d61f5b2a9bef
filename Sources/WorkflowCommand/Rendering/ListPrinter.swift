import WorkflowJSON

/// Prints a list part by part, so that a long list need not be held in memory.
///
/// The first rows of a table are held back until there are enough to determine the width of its columns.
struct ListPrinter<Item: JSONWritable> {
    private static var rowsKept: Int { 500 }

    private let session: Session
    private let isLive: Bool
    private var table: Table<Item>
    private var kept: [Item] = []
    private var isEmpty = true

    /// - Parameters:
    ///   - spare: A last column that is left out as long as no item has a text for it.
    ///   - isLive: True if a person watches items as they arrive; then no row is held back.
    init(
        _ session: Session, columns: [Table<Item>.Column], spare: Table<Item>.Column? = nil, isLive: Bool = false
    ) {
        self.session = session
        self.isLive = isLive
        table = Table(columns, spare: spare, isRowByRow: isLive, on: session.screen)
    }

    /// Prints the next items.
    mutating func add(_ items: [Item]) throws {
        var json = ""
        var yaml = ""
        for item in items {
            switch session.format {
            case .table: kept.append(item)
            case .json: json += (isEmpty ? "[\n  " : ",\n  ") + IndentedJSON.text(of: item, depth: 1)
            case .jsonl, .batch: json += JSONWriter.string(item) + "\n"
            case .yaml: yaml += try YAMLText.of([item])
            }
            isEmpty = false
        }
        if !json.isEmpty { try session.write(json: json) }
        if !yaml.isEmpty { try session.write(yaml: yaml) }
        if !kept.isEmpty, isLive || kept.count >= Self.rowsKept { try printKept() }
    }

    /// Prints the rows that were held back and the end of the list.
    mutating func end() throws {
        switch session.format {
        case .table: if !kept.isEmpty || isEmpty { try printKept() }
        case .jsonl, .batch: break
        case .json: try session.environment.output.write(isEmpty ? "[]\n" : "\n]\n")
        case .yaml: if isEmpty { try session.environment.output.write("[]\n") }
        }
    }

    private mutating func printKept() throws {
        try session.environment.output.write(table.lines(for: kept))
        kept.removeAll()
    }
}
