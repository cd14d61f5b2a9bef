import PostgresStore
import WorkflowSettings
import WorkflowStore

/// The place of a database: a file, or a database of PostgreSQL by its URL.
enum DatabaseAddress {
    case file(String)
    case postgres(PostgresAddress)

    init(_ text: String) throws(StoreError) {
        guard DatabaseURL.isURL(text) else {
            self = .file(text)
            return
        }
        Self.warnOfPassword()
        self = .postgres(try PostgresAddress(text))
    }

    /// - Throws: An error for a file, which one daemon alone can serve.
    func requireSeveralDaemons() throws(StoreError) {
        guard case .file(let file) = self else { return }
        throw StoreError(
            .unsupported, "Cannot open '\(file)': a database in a file has one daemon; --peer is for PostgreSQL")
    }

    /// Returns a path; throws if the text is a URL, for a command that works on files alone.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - advice: A sentence on what to do instead.
    static func file(_ text: String, for command: String, advice: String) throws(StoreError) -> String {
        guard DatabaseURL.isURL(text) else { return text }
        warnOfPassword()
        throw StoreError(
            .unsupported,
            "'\(command)' needs a database in a file, and '\(DatabaseURL.masked(text))' is none: \(advice)")
    }

    /// Warns if an argument of the process has a password.
    private static func warnOfPassword() {
        guard CommandLine.arguments.contains(where: DatabaseURL.hasPassword) else { return }
        Console.tell(
            "warning: other users of this machine see the password in the arguments; keep it in a file of libpq "
                + "(~/.pgpass)")
    }
}
