import CPQ

/// The answer of a statement: its rows in the binary format, and its command tag.
final class Answer {
    private let result: OpaquePointer

    /// Takes over a result of libpq.
    init(_ result: OpaquePointer) {
        self.result = result
    }

    deinit {
        PQclear(result)
    }

    /// The number of rows.
    var count: Int32 { PQntuples(result) }

    /// The tag of the command, such as `COMMIT`.
    var tag: String { String(cString: PQcmdStatus(result)) }

    /// The number of rows that the statement changed.
    var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// Returns the bytes of a value; `nil` for NULL and for a value that is not there.
    func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        guard row < count, column < PQnfields(result), PQgetisnull(result, row, column) == 0,
            let start = PQgetvalue(result, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    }

    func name(of column: Int32) -> String {
        PQfname(result, column).map { String(cString: $0) } ?? "\(column)"
    }

    /// Returns all rows, each converted to a value.
    func all<Value>(_ body: (inout AnswerRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        for place in 0..<count {
            var row = AnswerRow(self, place)
            values.append(try body(&row))
        }
        return values
    }

    /// Returns the first row, converted to a value; `nil` if there is no row.
    func first<Value>(_ body: (inout AnswerRow) throws -> Value) throws -> Value? {
        guard count > 0 else { return nil }
        var row = AnswerRow(self, 0)
        return try body(&row)
    }
}

/// A row of an answer. Each call reads the next column, and refuses a value that no wfd writes.
struct AnswerRow {
    private let answer: Answer
    private let row: Int32
    private var column: Int32 = 0

    init(_ answer: Answer, _ row: Int32) {
        self.answer = answer
        self.row = row
    }

    /// Returns the bytes of the next column without advancing; `nil` for NULL.
    private var bytes: UnsafeRawBufferPointer? { answer.value(row, column) }

    /// True if the next column is NULL, which is then skipped.
    mutating func skipsNull() -> Bool {
        guard bytes == nil else { return false }
        column += 1
        return true
    }

    mutating func integer(in range: ClosedRange<Int64>) throws(PostgresFailure) -> Int64 {
        guard let bytes, bytes.count == 8 else { throw implausible }
        let number = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        guard range.contains(number) else { throw implausible }
        column += 1
        return number
    }

    mutating func flag() throws(PostgresFailure) -> Bool {
        guard let bytes, bytes.count == 1 else { throw implausible }
        column += 1
        return bytes.first != 0
    }

    mutating func text() throws(PostgresFailure) -> String {
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else { throw implausible }
        column += 1
        return text
    }

    /// Reads bytes of one of some lengths.
    mutating func blob(of lengths: ClosedRange<Int> = 0...Int.max) throws(PostgresFailure) -> [UInt8] {
        guard let bytes, lengths.contains(bytes.count) else { throw implausible }
        column += 1
        return Array(bytes)
    }

    /// Reads a text that is stored as bytes.
    mutating func textOfBytes() throws(PostgresFailure) -> String { try text() }

    /// The failure of a value that cannot be right.
    var implausible: PostgresFailure {
        PostgresFailure(
            .damaged, "the database has an implausible value in column '\(answer.name(of: column))'; restore a backup")
    }
}
