import WorkflowAPI
import WorkflowClient

/// Finds the daemon when nobody says where it is.
enum DefaultAddress {
    private static let socketName = "wfd.sock"
    private static let systemSocket = "/run/wfd/wfd.sock"

    /// The address that was given, else that of `WFCTL_ADDRESS`, else the first of the places where a daemon puts its
    /// socket: `$RUNTIME_DIRECTORY`, `$XDG_RUNTIME_DIR` and `/run/wfd`.
    ///
    /// Desktops set `XDG_RUNTIME_DIR` for everybody, so it gives way to a system daemon's socket when it has none.
    static func resolve(_ given: String?, in environment: CommandEnvironment) throws -> Address {
        let variables = environment.variables.filter { !$0.value.isEmpty }
        if let text = given ?? variables["WFCTL_ADDRESS"] { return try Address(text) }
        // systemd separates several directories with colons.
        if let folder = variables["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
            return .unix(path: "\(folder)/\(socketName)")
        }
        let userSocket = variables["XDG_RUNTIME_DIR"].map { "\($0)/\(socketName)" }
        if let userSocket, environment.files.exists(userSocket) { return .unix(path: userSocket) }
        if environment.files.exists(systemSocket) { return .unix(path: systemSocket) }
        if let userSocket { return .unix(path: userSocket) }
        throw CommandFailure(
            .usage,
            "Cannot tell where wfd listens: name its address with --address or WFCTL_ADDRESS, "
                + "for example unix:\(systemSocket)")
    }
}
