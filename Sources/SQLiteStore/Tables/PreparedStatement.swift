import GRDB
import GRDBSQLite
import WorkflowStore

/// One of the connection's cached statements, bound and stepped directly.
///
/// Binding through GRDB's arguments costs an array of boxed values for every row, which is most of the time that a
/// small row takes. Values are bound in the order of the parameters. Columns are read in the order of the select list.
struct PreparedStatement {
    /// Keeps `handle` alive.
    private let statement: Statement
    private let handle: OpaquePointer
    private var bound: CInt = 0
    /// The reason a value could not be bound. The next run throws this failure and does not execute the statement.
    private var refusal: SQLiteFailure?
    private let values: BoundValues?

    /// Prepares a statement.
    ///
    /// - Parameter values: Memory for the values of one run, used by one statement at a time. Without it SQLite copies
    ///   every text into memory that it allocates each time.
    init(_ database: Database, _ sql: String, values: BoundValues? = nil) throws {
        self.values = values
        statement = try database.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        // The step of the last run has already reported its failure.
        sqlite3_reset(handle)
    }

    /// Prepares a statement and binds values to its first parameters.
    init<each Value: ColumnValue>(
        _ database: Database, _ sql: String, _ value: repeat each Value, values: BoundValues? = nil
    ) throws {
        try self.init(database, sql, values: values)
        repeat bind(each value)
    }

    mutating func bind(integer value: Int64) {
        bound += 1
        check(sqlite3_bind_int64(handle, bound, value))
    }

    mutating func bind(text value: String) {
        let isBound: Void? = value.utf8.withContiguousStorageIfAvailable { bind(text: UnsafeRawBufferPointer($0)) }
        // No text of ours lacks contiguous storage.
        if isBound == nil { Array(value.utf8).withUnsafeBytes { bind(text: $0) } }
    }

    mutating func bind(text: UnsafeRawBufferPointer) {
        bound += 1
        let (start, destructor) = kept(text)
        let count = UInt64(text.count)
        let bytes = start.assumingMemoryBound(to: CChar.self)
        check(sqlite3_bind_text64(handle, bound, bytes, count, destructor, UInt8(SQLITE_UTF8)))
    }

    mutating func bind(blob: UnsafeRawBufferPointer) {
        bound += 1
        let (start, destructor) = kept(blob)
        check(sqlite3_bind_blob64(handle, bound, start, UInt64(blob.count), destructor))
    }

    mutating func bindNull() {
        bound += 1
        check(sqlite3_bind_null(handle, bound))
    }

    /// Returns the address at which SQLite finds the bytes of a value. The address is in `values`; if the bytes do not
    /// fit or `values` is `nil`, SQLite makes a copy of its own. The address is never null, which would bind NULL.
    private func kept(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawPointer, sqlite3_destructor_type?) {
        if let start = values?.keep(bytes) { return (start, inPlace) }
        return (bytes.baseAddress ?? UnsafeRawPointer(handle), copied)
    }

    /// Keeps the first failure: a value may be longer than SQLite accepts, or memory may be short.
    private mutating func check(_ code: CInt) {
        if code == SQLITE_OK || refusal != nil { return }
        refusal = SQLiteFailure(code: code, message: String(cString: sqlite3_errstr(code)))
    }

    /// Begins a run: the next value is bound to the first parameter again. Throws if a value could not be bound.
    private mutating func begin() throws(SQLiteFailure) {
        bound = 0
        guard let refusal else { return }
        self.refusal = nil
        values?.removeAll()
        throw refusal
    }

    /// Runs the statement to its end and resets it for the next binding.
    mutating func run() throws(SQLiteFailure) {
        try begin()
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW { code = sqlite3_step(handle) }
        let failure = code == SQLITE_DONE ? nil : SQLiteFailure(code: code, on: sqlite3_db_handle(handle))
        sqlite3_reset(handle)
        values?.removeAll()
        if let failure { throw failure }
    }

    /// The number of rows that the last `run` of an INSERT, UPDATE or DELETE changed.
    var changes: Int { Int(sqlite3_changes(sqlite3_db_handle(handle))) }

    /// Throws if the last run did not change exactly one row.
    func requireChange(_ what: @autoclosure () -> String) throws {
        guard changes == 1 else { throw StoreError(.constraint, "Cannot write: \(what())") }
    }

    /// Calls `body` with each row until `body` returns false.
    mutating func forEachRow(_ body: (inout StatementRow) throws -> Bool) throws {
        try begin()
        defer { sqlite3_reset(handle) }
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw SQLiteFailure(code: code, on: sqlite3_db_handle(handle)) }
            var row = StatementRow(handle: handle)
            guard try body(&row) else { return }
        }
    }

    /// Returns all rows, each converted to a value.
    mutating func all<T>(_ body: (inout StatementRow) throws -> T) throws -> [T] {
        var values: [T] = []
        try forEachRow { row in
            values.append(try body(&row))
            return true
        }
        return values
    }

    /// Returns the first row, converted to a value; `nil` if there is no row.
    mutating func first<T>(_ body: (inout StatementRow) throws -> T) throws -> T? {
        var value: T?
        try forEachRow { row in
            value = try body(&row)
            return false
        }
        return value
    }
}

/// `SQLITE_STATIC`: the bytes stay at their address until the statement has run.
private var inPlace: sqlite3_destructor_type? { nil }

/// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite makes its own copy.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// The current row of a statement. Each call reads the next column.
struct StatementRow {
    private let handle: OpaquePointer
    private var column: CInt = 0

    fileprivate init(handle: OpaquePointer) {
        self.handle = handle
    }

    mutating func integer() -> Int64 {
        defer { column += 1 }
        return sqlite3_column_int64(handle, column)
    }

    mutating func optionalInteger() -> Int64? {
        if isNull { return skipNull() }
        return integer()
    }

    mutating func text() throws(SQLiteFailure) -> String {
        defer { column += 1 }
        return try text(at: column)
    }

    mutating func optionalText() throws(SQLiteFailure) -> String? {
        if isNull { return skipNull() }
        return try text()
    }

    mutating func bytes() -> [UInt8] {
        defer { column += 1 }
        // SQLite wants the pointer first, then the count (https://sqlite.org/c3ref/column_blob.html). The pointer is
        // null for no bytes.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    mutating func optionalBytes() -> [UInt8]? {
        if isNull { return skipNull() }
        return bytes()
    }

    mutating func digest() throws(SQLiteFailure) -> Digest {
        defer { column += 1 }
        // The pointer first, then the count, as in `bytes()`.
        let start = sqlite3_column_blob(handle, column)
        guard let start, sqlite3_column_bytes(handle, column) == 32 else { throw implausible(at: column) }
        return Digest(bytes: UnsafeRawBufferPointer(start: start, count: 32))
    }

    /// Reads a digest; returns `nil` for an empty blob or NULL.
    mutating func optionalDigest() throws(SQLiteFailure) -> Digest? {
        if byteCount(at: column) == 0 { return skipNull() }
        return try digest()
    }

    mutating func uniqueID() throws(SQLiteFailure) -> UniqueID {
        guard byteCount(at: column) == 16 else { throw implausible(at: column) }
        return UniqueID(bytes: bytes())
    }

    mutating func salt() throws(SQLiteFailure) -> Salt {
        guard byteCount(at: column) == 16 else { throw implausible(at: column) }
        return Salt(bytes: bytes())
    }

    mutating func optionalSalt() throws(SQLiteFailure) -> Salt? {
        if isNull { return skipNull() }
        return try salt()
    }

    /// Reads the next column as SQLite stores it.
    mutating func value() -> StoredValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return skipNull() ?? .null
        case SQLITE_INTEGER: return .integer(integer())
        case SQLITE_TEXT: return .text(bytes())
        default: return .blob(bytes())
        }
    }

    /// Reads a column by its index, from 0; does not advance.
    func text(at index: CInt) throws(SQLiteFailure) -> String {
        guard let start = sqlite3_column_text(handle, index) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: byteCount(at: index))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw implausible(at: index) }
        return text
    }

    /// Reads a column by its index, from 0; does not advance.
    func optionalText(at index: CInt) throws(SQLiteFailure) -> String? {
        isNull(at: index) ? nil : try text(at: index)
    }

    /// Reads a column by its index, from 0; does not advance.
    func integer(at index: CInt) -> Int64 {
        sqlite3_column_int64(handle, index)
    }

    /// Returns the bytes of a text or a blob by its index, in SQLite's memory; empty for NULL. They are valid until the
    /// next row.
    func lent(at index: CInt) -> UnsafeBufferPointer<UInt8> {
        // The pointer first, then the count, as in `bytes()`.
        guard let start = sqlite3_column_blob(handle, index) else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: byteCount(at: index))
    }

    /// Returns the bytes of a text or a blob as `lent(at:)` does; `nil` for NULL.
    func optionalLent(at index: CInt) -> UnsafeBufferPointer<UInt8>? {
        isNull(at: index) ? nil : lent(at: index)
    }

    /// Returns the bytes of a text by its index, in SQLite's memory; empty for NULL. They are valid until the next row.
    func lentText(at index: CInt) throws(SQLiteFailure) -> UnsafeBufferPointer<UInt8> {
        let bytes = lent(at: index)
        // Most texts are ASCII, and need no string to be validated.
        if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        throw implausible(at: index)
    }

    /// Returns the bytes of a text as `lentText(at:)` does; `nil` for NULL.
    func optionalLentText(at index: CInt) throws(SQLiteFailure) -> UnsafeBufferPointer<UInt8>? {
        isNull(at: index) ? nil : try lentText(at: index)
    }

    /// Returns the number of bytes of a text or a blob by its index.
    func byteCount(at index: CInt) -> Int { Int(sqlite3_column_bytes(handle, index)) }

    func isNull(at index: CInt) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// Returns the failure of a column with a value that no version of ours writes. The message contains a number, but
    /// never a text, which may be private.
    func implausible(at index: CInt) -> SQLiteFailure {
        // For an expression SQLite knows neither table nor column.
        let table = sqlite3_column_table_name(handle, index).map { "its table '\(String(cString: $0))'" }
        let column = sqlite3_column_origin_name(handle, index) ?? sqlite3_column_name(handle, index)
        let isNumber = sqlite3_column_type(handle, index) == SQLITE_INTEGER
        return .damage(
            "the column '\(column.map { String(cString: $0) } ?? "\(index)")' of \(table ?? "a row") holds "
                + "\(isNumber ? "\(integer(at: index))" : "a value"), which no wfd writes")
    }

    /// The failure of the column that was read last.
    var implausible: SQLiteFailure { implausible(at: column - 1) }

    /// Advances past a column that was read by its index.
    mutating func skip() {
        column += 1
    }

    var isNull: Bool { isNull(at: column) }

    mutating func skipNull<T>() -> T? {
        column += 1
        return nil
    }
}

/// Memory for the texts and blobs that are bound to a statement for one run, so that SQLite need not copy them.
///
/// A statement that has run still points into this memory. SQLite reads a value only in the next run, before which
/// every value is bound anew. The memory must live as long as such a run may begin. The writer keeps one instance as
/// long as its connection.
final class BoundValues {
    /// The size in bytes, far more than the small columns of a row need. SQLite copies a larger value, which costs
    /// little in comparison.
    private static let capacity = 16 * 1_024

    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        memory = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    /// Copies bytes and returns their address; `nil` if they do not fit. The copy stays until `removeAll`.
    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= memory.count - used, let start = memory.baseAddress?.advanced(by: used) else { return nil }
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
        return UnsafeRawPointer(start)
    }

    /// Makes room for the values of the next run.
    func removeAll() {
        used = 0
    }
}
