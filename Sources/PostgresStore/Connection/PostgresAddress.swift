import CPQ
package import WorkflowStore

/// The address of a database as a URL of libpq, such as `postgres://wfd@db1,db2/flows?sslmode=verify-full`.
package struct PostgresAddress: Sendable, CustomStringConvertible {
    /// The URL, which may have a password.
    let url: String
    /// The user, hosts and database without the password, for messages.
    package let description: String

    /// Checks a URL.
    ///
    /// - Throws: `cannotOpen` if libpq is missing or does not understand the URL. The message does not repeat it.
    package init(_ url: String) throws(StoreError) {
        if let reason = CPQ_load() {
            throw StoreError(.cannotOpen, "Cannot open the database: \(String(cString: reason))")
        }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw StoreError(.cannotOpen, "Cannot open the database: its URL does not begin with 'postgres://'")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw StoreError(
                .cannotOpen,
                "Cannot open the database: libpq does not understand its URL; write "
                    + "'postgres://USER@HOST/DATABASE' with percent-encoded parts")
        }
        let values = Self.values(options)
        self.url = url
        let user = values["user"].map { $0 + "@" } ?? ""
        description = "postgres://\(user)\(values["host"] ?? "")/\(values["dbname"] ?? "")"
    }

    /// Reads options of libpq, and frees them.
    static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }
}
