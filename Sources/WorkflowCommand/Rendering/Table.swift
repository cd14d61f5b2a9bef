import Terminal

/// Columns of text for people. The titles and the first rows decide how wide a column is.
///
/// On a terminal a table with titles is cut to its width: text that is free first, then states, then events. What a
/// person copies, such as names, is cut only when all else has been.
package struct Table<Row> {
    /// One column.
    package struct Column: Sendable {
        /// When its cells are cut.
        package enum Cut: Int, CaseIterable, Sendable {
            /// Data, reasons.
            case first
            /// States.
            case second
            /// Events, keys.
            case last
            /// Names, numbers, times and other words that are short.
            case never
        }

        /// Nil for lines that explain themselves; a table has titles when one of its columns has one.
        let title: String?
        let width: Int
        let cut: Cut
        let style: @Sendable (Row) -> Style?
        let text: @Sendable (Row) -> String

        /// - Parameter width: Characters at least in a table that is printed row by row.
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

        /// - Parameter style: Of all its cells.
        package init(
            _ title: String?, width: Int = 0, cut: Cut = .never, style: Style,
            _ text: @escaping @Sendable (Row) -> String
        ) {
            self.init(title, width: width, cut: cut, style: { _ in style }, text)
        }
    }

    /// No column that is cut has fewer.
    private static var narrowest: Int { 8 }

    private let columns: [Column]
    private let isRowByRow: Bool
    private let screen: Screen
    private var widths: [Int] = []
    private var gap = 3

    package init(_ columns: [Column], isRowByRow: Bool = false, on screen: Screen = Screen()) {
        self.columns = columns
        self.isRowByRow = isRowByRow
        self.screen = screen
    }

    /// The lines of some rows; with the titles when they are the first.
    package mutating func lines(for rows: [Row]) -> String {
        let cells = rows.map { row in columns.map { Printable.lines($0.text(row)) } }
        let isFirst = widths.isEmpty
        if isFirst { measure(cells) }
        let titles = isFirst && hasTitles ? [line(columns.map { $0.title ?? "" }, styles: [])] : []
        let lines = zip(rows, cells).map { row, cells in
            line(cells, styles: screen.isColoured ? columns.map { $0.style(row) } : [])
        }
        return (titles + lines).joined()
    }

    private var hasTitles: Bool { columns.contains { $0.title != nil } }

    private mutating func measure(_ cells: [[String]]) {
        widths = columns.indices.map { column in
            let least = max(isRowByRow ? columns[column].width : 0, columns[column].title?.count ?? 0)
            return cells.reduce(least) { max($0, DisplayWidth.of($1[column])) }
        }
        guard let limit = screen.columns, hasTitles else { return }
        if isRowByRow || widths.reduce(0, +) + gap * (columns.count - 1) > limit { gap = 2 }
        widths = fitted(widths, to: limit)
    }

    /// The widths, made smaller until all columns fit: the widest column of those that are cut next gives way.
    private func fitted(_ widths: [Int], to limit: Int) -> [Int] {
        var widths = widths.map { min($0, limit) }
        let room = limit - gap * (columns.count - 1)
        for cut in Column.Cut.allCases where cut != .never {
            let group = columns.indices.filter { columns[$0].cut == cut }
            while widths.reduce(0, +) > room {
                guard let widest = group.max(by: { widths[$0] < widths[$1] }),
                    widths[widest] > max(Self.narrowest, columns[widest].title?.count ?? 0)
                else { break }
                widths[widest] -= 1
            }
        }
        return widths
    }

    private func line(_ cells: [String], styles: [Style?]) -> String {
        var widths = widths
        var cells = cells
        if let limit = screen.columns, hasTitles {
            // A later row may have wider cells than the rows that were measured; it is fitted by itself.
            let wanted = zip(widths, cells).map { max($0, DisplayWidth.of($1)) }
            if wanted != widths { widths = isRowByRow ? fitted(wanted, to: limit) : widths }
            cells = zip(cells, widths).map { DisplayWidth.cut($0, to: $1) }
        }
        var line = ""
        var position = 0
        var start = 0
        for (column, cell) in cells.enumerated() {
            defer { start += max(widths[column], DisplayWidth.of(cell)) + gap }
            guard !cell.isEmpty else { continue }
            var shown = cell
            if let limit = screen.columns, hasTitles {
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

/// Where a table is shown.
package struct Screen: Equatable, Sendable {
    /// Nil when nothing is cut.
    package let columns: Int?
    package let isColoured: Bool

    package init(columns: Int? = nil, isColoured: Bool = false) {
        self.columns = columns
        self.isColoured = isColoured
    }
}
