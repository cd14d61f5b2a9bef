package import WorkflowStore

/// Looks whether another daemon serves a store now.
///
/// The log decides who may write; this look only keeps a second daemon from taking the store by mistake.
package struct LivingOwner: Sendable {
    private let address: PostgresAddress

    package init(of address: PostgresAddress) {
        self.address = address
    }

    /// - Throws: `locked` if a daemon has a connection by which it writes.
    package func refuse() throws(StoreError) {
        let found: String?
        do {
            let answers = try Connection(address).run([Request(Self.writers) { $0.add(Connection.writerName) }])
            found = try answers.first?.first { row in try row.text() }
        } catch {
            throw StoreError("Cannot open '\(address)'", PostgresFailure(error))
        }
        guard let found else { return }
        throw StoreError(
            .locked,
            "Cannot open '\(address)': another daemon serves it (\(found)); stop it, or end that session in the server")
    }

    private static let writers = Statement(
        name: "writers",
        sql: """
            SELECT 'session ' || pid || coalesce(' from ' || host(client_addr), ' on this machine')
            FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1::text
            ORDER BY backend_start LIMIT 1
            """)
}
