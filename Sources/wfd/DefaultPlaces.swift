import WorkflowServer

/// The default places of the daemon's database and socket.
struct DefaultPlaces {
    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Returns the database file: in `$STATE_DIRECTORY` (systemd), else `$XDG_STATE_HOME/wfd`, else
    /// `~/.local/state/wfd`.
    func databaseFile() throws -> String {
        if let directory = firstPath("STATE_DIRECTORY") { return directory + "/wfd.db" }
        if let directory = firstPath("XDG_STATE_HOME") { return directory + "/wfd/wfd.db" }
        if let home = firstPath("HOME") { return home + "/.local/state/wfd/wfd.db" }
        throw MissingPlaceError(description: "Cannot tell where to keep the database: give --database, or set HOME")
    }

    /// Returns the address: in `$RUNTIME_DIRECTORY` (systemd), else `$XDG_RUNTIME_DIR`, else beside the database.
    func address(besideDatabase file: String) throws -> ListenAddress {
        let beside = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        let directory = firstPath("RUNTIME_DIRECTORY") ?? firstPath("XDG_RUNTIME_DIR") ?? beside
        return try ListenAddress("unix:\(directory)/wfd.sock")
    }

    /// Returns the first path of a variable; systemd separates several directories by colons.
    private func firstPath(_ variable: String) -> String? {
        environment[variable]?.split(separator: ":").first.map(String.init)
    }
}

struct MissingPlaceError: Error, CustomStringConvertible {
    let description: String
}
