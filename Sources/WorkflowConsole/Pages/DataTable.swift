/// A table with a caption and a heading for each column. The first cell of a row is the row's heading.
struct DataTable {
    let caption: String
    let columns: [String]
    var rows: [[Markup]] = []

    init(_ caption: String, _ columns: String...) {
        self.init(caption, columns)
    }

    init(_ caption: String, _ columns: [String]) {
        (self.caption, self.columns) = (caption, columns)
    }

    /// Adds a row; each cell is a text or a piece of HTML.
    mutating func add(@RowBuilder _ cells: () -> [Markup]) { rows.append(cells()) }

    /// The table. It scrolls by itself where it is wider than the window, also by the keyboard.
    var markup: Markup {
        Tag.div(.class("scroll"), .role, .focusable, .label(caption)) {
            Tag.table {
                Tag.caption { caption }
                Tag.thead { Tag.tr { for column in columns { Tag.th(.scope("col")) { column } } } }
                Tag.tbody {
                    for row in rows {
                        Tag.tr {
                            for (place, cell) in row.enumerated() {
                                if place == 0 { Tag.th(.scope("row")) { cell } } else { Tag.td { cell } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Collects the cells of a row.
@resultBuilder
enum RowBuilder {
    static func buildExpression(_ text: String) -> Markup { Markup(text: text) }
    static func buildExpression(_ markup: Markup) -> Markup { markup }
    static func buildBlock(_ cells: Markup...) -> [Markup] { cells }
}
