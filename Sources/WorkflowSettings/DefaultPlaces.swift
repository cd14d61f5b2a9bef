package import WorkflowServer

/// The default places of the daemon's files and its socket.
package struct DefaultPlaces: Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// Returns the database file: in `$STATE_DIRECTORY` (systemd), else `$XDG_STATE_HOME/wfd`, else
    /// `~/.local/state/wfd`.
    package func databaseFile() throws -> String {
        if let directory = firstPath("STATE_DIRECTORY") { return directory + "/wfd.db" }
        if let directory = firstPath("XDG_STATE_HOME") { return directory + "/wfd/wfd.db" }
        if let home = firstPath("HOME") { return home + "/.local/state/wfd/wfd.db" }
        throw MissingPlaceError(description: "Cannot tell where to keep the database: give --database, or set HOME")
    }

    /// Returns the address: in `$RUNTIME_DIRECTORY` (systemd), else `$XDG_RUNTIME_DIR`, else beside the database. For a
    /// URL it is where a file would be.
    package func address(besideDatabase name: String) throws -> ListenAddress {
        let file = DatabaseURL.isURL(name) ? try databaseFile() : name
        let beside = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        let directory = firstPath("RUNTIME_DIRECTORY") ?? firstPath("XDG_RUNTIME_DIR") ?? beside
        return try ListenAddress("unix:\(directory)/wfd.sock")
    }

    /// The file of settings, in `$CONFIGURATION_DIRECTORY` (systemd); it may be missing.
    package var settingFile: String? { firstPath("CONFIGURATION_DIRECTORY").map { $0 + "/wfd.yaml" } }

    /// The folder with secrets that systemd passes.
    package var secrets: String? { environment["CREDENTIALS_DIRECTORY"] }

    /// Returns the first path of a variable; systemd separates several directories by colons.
    private func firstPath(_ variable: String) -> String? {
        environment[variable]?.split(separator: ":").first.map(String.init)
    }
}

/// The error that no place for the database is known.
package struct MissingPlaceError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
