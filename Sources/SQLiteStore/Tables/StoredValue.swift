/// A value as SQLite stores and orders it (https://sqlite.org/datatype3.html). No table of ours has a real number.
enum StoredValue: Sendable, Comparable {
    case null
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])

    static func < (lhs: StoredValue, rhs: StoredValue) -> Bool {
        switch (lhs, rhs) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
        default: lhs.rank < rhs.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer: 1
        case .text: 2
        case .blob: 3
        }
    }
}
