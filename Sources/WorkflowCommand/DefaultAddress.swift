import WorkflowAPI
import WorkflowClient

/// Finds the daemon's address if none is given.
enum DefaultAddress {
    private static let socketName = "wfd.sock"
    private static let systemSocket = "/run/wfd/wfd.sock"

    /// Returns the given address, else that of `WFCTL_ADDRESS`, else the first place with a daemon's socket. The places
    /// are `$RUNTIME_DIRECTORY`, `$XDG_RUNTIME_DIR`, `/run/wfd`, and, without a folder for sockets, the database's
    /// folder.
    ///
    /// Desktops set `XDG_RUNTIME_DIR` for everybody, so the other places precede it if it has no socket.
    static func resolve(_ given: String?, in environment: CommandEnvironment) throws -> Address {
        let variables = environment.variables.filter { !$0.value.isEmpty }
        if let text = given ?? variables["WFCTL_ADDRESS"] { return try Address(text) }
        // systemd separates several directories by colons.
        if let folder = variables["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
            return .unix(path: "\(folder)/\(socketName)")
        }
        let userSocket = variables["XDG_RUNTIME_DIR"].map { "\($0)/\(socketName)" }
        let besideDatabase =
            variables["XDG_STATE_HOME"].map { "\($0)/wfd/\(socketName)" }
            ?? variables["HOME"].map { "\($0)/.local/state/wfd/\(socketName)" }
        let places = [userSocket, systemSocket, besideDatabase].compactMap(\.self)
        if let socket = places.first(where: environment.files.exists) ?? userSocket ?? besideDatabase {
            return .unix(path: socket)
        }
        throw CommandFailure(
            .usage,
            "Cannot tell where wfd listens: name its address with --address or WFCTL_ADDRESS, "
                + "for example unix:\(systemSocket)")
    }
}
