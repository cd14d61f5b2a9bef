/// Columns of text for people. The titles and the first rows decide how wide a column is.
package struct Table<Row> {
    /// One column.
    package struct Column: Sendable {
        /// Nil for lines that explain themselves; a table has titles when one of its columns has one.
        let title: String?
        let width: Int
        let text: @Sendable (Row) -> String

        /// - Parameter width: Characters at least in a table that is printed row by row.
        package init(_ title: String?, width: Int = 0, _ text: @escaping @Sendable (Row) -> String) {
            self.title = title
            self.width = width
            self.text = text
        }
    }

    private static var gap: String { "   " }

    private let columns: [Column]
    private let isRowByRow: Bool
    private var widths: [Int] = []

    package init(_ columns: [Column], isRowByRow: Bool = false) {
        self.columns = columns
        self.isRowByRow = isRowByRow
    }

    /// The lines of some rows; with the titles when they are the first.
    package mutating func lines(for rows: [Row]) -> String {
        let cells = rows.map { row in columns.map { Printable.lines($0.text(row)) } }
        let isFirst = widths.isEmpty
        if isFirst {
            widths = columns.indices.map { column in
                let least = max(isRowByRow ? columns[column].width : 0, columns[column].title?.count ?? 0)
                return cells.reduce(least) { max($0, $1[column].count) }
            }
        }
        let hasTitles = columns.contains { $0.title != nil }
        let titles = isFirst && hasTitles ? [columns.map { $0.title ?? "" }] : []
        return (titles + cells).map(line).joined()
    }

    private func line(_ cells: [String]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            if column > 0 { line += Self.gap }
            line += cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
