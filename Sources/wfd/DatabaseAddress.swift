import PostgresStore
import WorkflowSettings
import WorkflowStore

/// The place of a database: a file, or a database of PostgreSQL by its URL.
enum DatabaseAddress {
    case file(String)
    case postgres(PostgresAddress)

    init(_ text: String) throws(StoreError) {
        self = DatabaseURL.isURL(text) ? .postgres(try PostgresAddress(text)) : .file(text)
    }

    /// Returns a path; throws if the text is a URL, for a command that works on files alone.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - advice: A sentence on what to do instead.
    static func file(_ text: String, for command: String, advice: String) throws(StoreError) -> String {
        guard DatabaseURL.isURL(text) else { return text }
        throw StoreError(
            .unsupported,
            "'\(command)' needs a database in a file, and '\(DatabaseURL.masked(text))' is none: \(advice)")
    }
}
