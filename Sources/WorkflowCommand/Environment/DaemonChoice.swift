import WorkflowAPI
import WorkflowClient

/// The chosen daemon: its address, and what the client needs there.
struct DaemonChoice {
    let address: Address
    let access: ClientAccess

    init(_ options: GlobalOptions, in environment: CommandEnvironment) throws {
        try self.init(
            address: options.address, context: options.context, authorities: options.ca, in: environment)
    }

    /// Chooses the given address or context, else that of the environment, else the current context, else the usual
    /// socket. A context's token goes to the context's address alone.
    init(address: String?, context: String?, authorities: String?, in environment: CommandEnvironment) throws {
        guard address == nil || context == nil else {
            throw CommandFailure(.usage, "'--address' contradicts '--context': give one of them")
        }
        let variables = environment.variables.filter { !$0.value.isEmpty }
        let given = address ?? (context == nil ? variables["WFCTL_ADDRESS"] : nil)
        let authorities = authorities ?? variables["WFCTL_CA"]
        let contexts = try given == nil ? ContextFile(in: environment) : nil
        if let name = context ?? variables["WFCTL_CONTEXT"] ?? contexts?.current, let contexts {
            let chosen = try contexts.context(name)
            self.address = try Address(chosen.address)
            access = try ClientAccess(token: chosen.token, authorities: authorities ?? chosen.ca)
        } else {
            self.address = try DefaultAddress.resolve(given, in: environment)
            access = try ClientAccess(token: Self.token(of: variables, in: environment), authorities: authorities)
        }
    }

    private static func token(
        of variables: [String: String], in environment: CommandEnvironment
    ) throws -> String? {
        guard let file = variables["WFCTL_TOKEN_FILE"] else { return variables["WFCTL_TOKEN"] }
        return String(decoding: try environment.files.read(file, limit: 8_192), as: UTF8.self)
    }

    func client(in environment: CommandEnvironment) throws -> WorkflowClient {
        try environment.connect(address, access)
    }
}
