/// A statement that each connection prepares at its first use.
struct Statement: Sendable {
    /// The name by which the connection knows the statement; unique among our statements.
    let name: String
    /// The text, with the type of each parameter (`$1::bigint`).
    let sql: String

    static let begin = Statement(name: "begin", sql: "BEGIN")
    static let beginReading = Statement(
        name: "begin-reading", sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let commit = Statement(name: "commit", sql: "COMMIT")
    static let rollback = Statement(name: "rollback", sql: "ROLLBACK")
}

extension Statement {
    /// The statement, refused if it changes fewer rows than its first parameter, an array, has elements.
    var requiringAll: Statement {
        // A division by zero, because nothing else in SQL refuses without a function of ours.
        Statement(
            name: name,
            sql: """
                WITH changed AS (\(sql) RETURNING 1)
                SELECT 1 / (CASE WHEN count(*) = cardinality($1::int8[]) THEN 1 ELSE 0 END) FROM changed
                """)
    }
}

/// A statement with its parameters.
struct Request {
    let statement: Statement
    let parameters: Parameters

    init(_ statement: Statement, _ parameters: Parameters = Parameters()) {
        self.statement = statement
        self.parameters = parameters
    }

    /// - Parameter fill: Adds the parameters in their order.
    init(_ statement: Statement, fill: (inout Parameters) -> Void) {
        var parameters = Parameters()
        fill(&parameters)
        self.init(statement, parameters)
    }
}

/// The parameters of a statement in the binary format.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    /// The places of the values in `bytes`; `nil` for NULL.
    private(set) var places: [Range<Int>?] = []

    mutating func add(_ number: Int64) {
        add { $0.append(number) }
    }

    mutating func add(_ number: Int64?) {
        if let number { add(number) } else { places.append(nil) }
    }

    mutating func add(_ flag: Bool) {
        add { $0.append(flag ? 1 as UInt8 : 0) }
    }

    mutating func add(_ text: String) {
        add { $0.append(contentsOf: text.utf8) }
    }

    mutating func add(_ text: String?) {
        if let text { add(text) } else { places.append(nil) }
    }

    mutating func add(_ value: [UInt8]) {
        add { $0.append(contentsOf: value) }
    }

    /// Adds an array, whose elements are one column of several rows.
    mutating func add(_ array: ArrayColumn) {
        add { array.write(to: &$0) }
    }

    private mutating func add(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        places.append(start..<bytes.count)
    }
}

extension [UInt8] {
    /// Appends an integer in network order.
    mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
