import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl login`.
struct Login: Verb {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Keep the address and the token of a daemon on another machine.",
        discussion: """
            $ wfctl login https://wfd.example:7433 --name prod
            $ wfctl --context prod list

            The token is asked for on the terminal, or read from standard input; wfctl tries it before it keeps it. \
            'wfctl contexts' lists what is kept, 'wfctl logout' forgets it. The file is \
            ~/.config/wfctl/contexts.yaml, which only you may read.
            """)

    @Argument(help: ArgumentHelp("The address of wfd: https://HOST[:PORT].", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The name of the context; an earlier one of that name is replaced.", valueName: "name"))
    var name: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let environment = session.environment
        let address = try Address(url)
        // The file is read from other folders too.
        let folder = environment.variables["PWD"].map { $0 + "/" } ?? ""
        let authorities = global.ca.map { $0.hasPrefix("/") ? $0 : folder + $0 }
        var contexts = try ContextFile(in: environment)
        let token =
            try environment.askSecret("token for \(address): ")
            ?? String(decoding: environment.files.read("-", limit: 8_192), as: UTF8.self)
        let access = try ClientAccess(token: token, authorities: authorities)
        var client = try environment.connect(address, access)
        client.unauthenticated = TokenSource.login.refusal(at: address)
        let (caller, end) = try await session.using(client) { client in
            (try await client.whoami(), await client.certificateEnd())
        }
        try contexts.set(
            name, .init(address: "\(address)", ca: authorities, token: access.token ?? ""), in: environment)
        try session.print(caller) {
            "\(caller.actor ?? "unknown") at \(address): \(caller.roles.map(\.rawValue).joined(separator: ", "))\n"
                + (end.map { "certificate until \($0.text.prefix(10))\n" } ?? "")
        }
    }
}
