import CPQ

/// The protection of a connection on its way to the server.
struct ConnectionLink: Equatable {
    /// True for a unix socket and for an address of the machine itself.
    var isLocal = true
    /// True if the server's certificate and its name were verified.
    var isVerified = false
    /// True if the server asked for a password that it may have read.
    var showsPassword = false
}

extension Connection {
    /// The protection of this connection.
    var link: ConnectionLink {
        let options = PQconninfo(handle).map(PostgresAddress.values) ?? [:]
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let address = PQhostaddr(handle).map { String(cString: $0) } ?? ""
        // With either option libpq takes part in SCRAM alone, in which a server proves that it knows the password.
        let isProven = options["channel_binding"] == "require" || options["require_auth"] == "scram-sha-256"
        return ConnectionLink(
            isLocal: host.hasPrefix("/") || host.hasPrefix("@") || address.hasPrefix("127.") || address == "::1",
            isVerified: options["sslmode"] == "verify-full",
            showsPassword: PQconnectionUsedPassword(handle) == 1 && !isProven)
    }
}
