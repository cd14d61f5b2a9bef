import WorkflowAPI
import WorkflowClient

/// The chosen daemon: its address, and what the client needs there.
struct DaemonChoice {
    let address: Address
    let access: ClientAccess
    private let source: TokenSource

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
            source = .context(name)
        } else {
            self.address = try DefaultAddress.resolve(given, in: environment)
            source = TokenSource(variables)
            access = try ClientAccess(token: source.token(in: environment), authorities: authorities)
        }
    }

    func client(in environment: CommandEnvironment) throws -> WorkflowClient {
        var client = try environment.connect(address, access)
        client.unauthenticated = source.refusal(at: address)
        return client
    }
}
