package import WorkflowAPI
import WorkflowTerminal

/// Columns of text for people. The titles and the first rows decide the width of a column.
///
/// On a terminal, a table with titles is cut to the terminal's width: free text first, then states, then events. Then
/// times lose their year and their milliseconds. Names and other text that a person copies are cut last. No column is
/// left out as long as each can have a character.
package struct Table<Row> {
    /// A column of the table.
    package struct Column: Sendable {
        /// The order in which cells are cut.
        package enum Cut: Int, CaseIterable, Sendable {
            /// Data and reasons.
            case first
            /// States.
            case second
            /// Events and keys.
            case last
            /// Names, numbers, times and other short words.
            case never
        }

        /// The title; `nil` for self-explanatory lines. A table has titles if one of its columns has one.
        let title: String?
        let width: Int
        let cut: Cut
        let style: @Sendable (Row) -> Style?
        let text: @Sendable (Row) -> String
        /// The shorter text of a cell, for a narrow table.
        var narrow: (@Sendable (Row) -> String)?

        /// - Parameter width: The least number of characters in a table that is printed row by row.
        package init(
            _ title: String?, width: Int = 0, cut: Cut = .never,
            style: @escaping @Sendable (Row) -> Style? = { _ in nil },
            _ text: @escaping @Sendable (Row) -> String
        ) {
            self.title = title
            self.width = width
            self.cut = cut
            self.style = style
            self.text = text
        }

        /// Creates a column of times.
        package static func time(_ title: String, _ time: @escaping @Sendable (Row) -> WireTime) -> Column {
            var column = Column(title) { time($0).text }
            // `07-31 09:30:00` of `2026-07-31T09:30:00.123Z`.
            column.narrow = { String(time($0).text.dropFirst(5).prefix(14)).replacing("T", with: " ") }
            return column
        }

        /// - Parameter style: The style of all its cells.
        package init(
            _ title: String?, width: Int = 0, cut: Cut = .never, style: Style,
            _ text: @escaping @Sendable (Row) -> String
        ) {
            self.init(title, width: width, cut: cut, style: { _ in style }, text)
        }
    }

    /// The steps of cutting, each with the least number of characters, applied in turn until all columns fit.
    private static var steps: [(cut: Column.Cut, least: Int)] {
        usualSteps + [(.first, 3), (.second, 5), (.last, 5), (.second, 3), (.last, 3), (.never, 3)]
            + Column.Cut.allCases.map { ($0, 1) }
    }
    /// The steps after which cells are readable and titles whole.
    private static var usualSteps: [(cut: Column.Cut, least: Int)] { [(.first, 8), (.second, 8), (.last, 8)] }

    private var columns: [Column]
    /// The last column, added with the first rows that have a text for it.
    private var spare: Column?
    private let isRowByRow: Bool
    /// The largest width; `nil` if nothing is cut.
    private let limit: Int?
    private let isColoured: Bool
    private var widths: [Int] = []
    private var gap = 3
    /// True if times are short.
    private var isNarrow = false

    /// - Parameter spare: A last column that is left out as long as no row has a text for it.
    package init(
        _ columns: [Column], spare: Column? = nil, isRowByRow: Bool = false, on screen: Screen = Screen()
    ) {
        self.columns = columns
        self.spare = spare
        self.isRowByRow = isRowByRow
        limit = columns.contains { $0.title != nil } ? screen.columns : nil
        isColoured = screen.isColoured
    }

    /// Returns the lines of some rows, with the titles before the first rows. The columns are as wide as these rows and
    /// all earlier ones need.
    package mutating func lines(for rows: [Row]) -> String {
        let isFirst = widths.isEmpty
        addSpare(for: rows)
        var cells = cells(rows)
        measure(cells)
        if isFirst, let limit {
            if isRowByRow || total(widths) > limit { gap = 2 }
            isNarrow = total(fitted(isRowByRow ? usual : widths, Self.usualSteps)) > limit
            if isNarrow {
                cells = self.cells(rows)
                widths = []
                measure(cells)
            }
        }
        let hasTitles = isFirst && columns.contains { $0.title != nil }
        let titles = hasTitles ? [line(columns.map { $0.title ?? "" }, styles: [])] : []
        let lines = zip(rows, cells).map { row, cells in
            line(cells, styles: isColoured ? columns.map { $0.style(row) } : [])
        }
        return (titles + lines).joined()
    }

    private mutating func addSpare(for rows: [Row]) {
        guard let column = spare, rows.contains(where: { !column.text($0).isEmpty }) else { return }
        columns.append(column)
        if !widths.isEmpty { widths.append(column.width) }
        spare = nil
    }

    private func cells(_ rows: [Row]) -> [[String]] {
        rows.map { row in
            columns.map { Printable.lines(isNarrow ? $0.narrow?(row) ?? $0.text(row) : $0.text(row)) }
        }
    }

    /// Widens the columns. A table that is printed row by row is measured by its first rows only, so that its shape is
    /// stable.
    private mutating func measure(_ cells: [[String]]) {
        guard widths.isEmpty || !isRowByRow else { return }
        widths = columns.indices.map { column in
            let least = max(isRowByRow ? columns[column].width : 0, columns[column].title?.count ?? 0)
            let known = widths.isEmpty ? least : widths[column]
            return cells.reduce(known) { max($0, DisplayWidth.of($1[column])) }
        }
    }

    /// The widths that later rows may need in a table that is printed row by row.
    private var usual: [Int] {
        zip(columns, widths).map { column, width in column.cut == .never ? width : max(width, 8) }
    }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * (columns.count - 1) }

    /// Returns smaller widths with which all columns fit. In each step the widest of the affected columns is cut.
    private func fitted(_ widths: [Int], _ steps: [(cut: Column.Cut, least: Int)]) -> [Int] {
        guard let limit else { return widths }
        var widths = widths.map { min($0, limit) }
        for (cut, least) in steps {
            let group = columns.indices.filter { columns[$0].cut == cut }
            while total(widths) > limit {
                guard let widest = group.max(by: { widths[$0] < widths[$1] }),
                    widths[widest] > (least < 8 ? least : max(least, columns[widest].title?.count ?? 0))
                else { break }
                widths[widest] -= 1
            }
        }
        return widths
    }

    private func line(_ cells: [String], styles: [Style?]) -> String {
        // A row that is printed by itself may have wider cells than earlier rows, and is fitted by itself.
        let wanted = isRowByRow ? zip(widths, cells).map { max($0, DisplayWidth.of($1)) } : widths
        let widths = fitted(wanted, Self.steps)
        let cells = limit == nil ? cells : zip(cells, widths).map { DisplayWidth.cut($0, to: $1) }
        var line = ""
        var position = 0
        var start = 0
        for (column, cell) in cells.enumerated() {
            defer { start += max(widths[column], DisplayWidth.of(cell)) + gap }
            guard !cell.isEmpty else { continue }
            var shown = cell
            if let limit {
                shown = DisplayWidth.cut(cell, to: limit - start)
                if shown.isEmpty { break }
            }
            line += String(repeating: " ", count: start - position)
            let style = styles.isEmpty ? nil : styles[column]
            line += style.map { "\u{1B}[\($0.rawValue)m\(shown)\u{1B}[0m" } ?? shown
            position = start + DisplayWidth.of(shown)
        }
        return line + "\n"
    }
}

/// The properties of the screen on which a table is shown.
package struct Screen: Equatable, Sendable {
    /// The number of columns; `nil` if nothing is cut.
    package let columns: Int?
    package let isColoured: Bool

    package init(columns: Int? = nil, isColoured: Bool = false) {
        self.columns = columns
        self.isColoured = isColoured
    }
}
