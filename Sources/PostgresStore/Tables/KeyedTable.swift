/// A table, possibly joined with others, that is read in slices in the order of a key.
struct KeyedTable: Sendable {
    /// The type of a column of the key.
    enum KeyType: Sendable {
        case number, flag, text, bytes

        var name: String {
            switch self {
            case .number: "bigint"
            case .flag: "boolean"
            case .text: "text"
            case .bytes: "bytea"
            }
        }
    }

    /// A value of a column of the key.
    enum KeyValue: Sendable {
        case number(Int64)
        case flag(Bool)
        case text(String)
        case bytes([UInt8])
    }

    private let key: [(name: String, type: KeyType)]
    /// The first slice, and those after a place.
    private let statements: (first: Statement, next: Statement)

    /// - Parameters:
    ///   - name: The beginning of the names of the statements, which is unique.
    ///   - key: The columns of the order, which are unique together.
    ///   - columns: The selected columns behind the key.
    ///   - source: The table as `t`, and joins.
    init(_ name: String, key: KeyValuePairs<String, KeyType>, columns: String, from source: String) {
        let key = key.map { (name: $0.key, type: $0.value) }
        self.key = key
        let list = key.map { "t.\($0.name)" }.joined(separator: ", ")
        let places = key.enumerated().map { "$\($0 + 2)::\($1.type.name)" }.joined(separator: ", ")
        func statement(_ suffix: String, _ condition: String) -> Statement {
            Statement(
                name: "\(name)-\(suffix)",
                sql: "SELECT \(list), \(columns) FROM \(source) \(condition) ORDER BY \(list) LIMIT $1::bigint")
        }
        statements = (statement("first", ""), statement("next", "WHERE (\(list)) > (\(places))"))
    }

    /// Returns the request for the rows after a place.
    func request(after place: [KeyValue]?, limit: Int) -> Request {
        Request(place == nil ? statements.first : statements.next) { parameters in
            parameters.add(Int64(limit))
            for value in place ?? [] {
                switch value {
                case .number(let number): parameters.add(number)
                case .flag(let flag): parameters.add(flag)
                case .text(let text): parameters.add(text)
                case .bytes(let bytes): parameters.add(bytes)
                }
            }
        }
    }

    /// Reads the key of a row.
    func place(_ row: inout AnswerRow) throws -> [KeyValue] {
        try key.map { column in
            switch column.type {
            case .number: .number(try row.integer(in: .min ... .max))
            case .flag: .flag(try row.flag())
            case .text: .text(try row.text())
            case .bytes: .bytes(try row.blob())
            }
        }
    }
}
