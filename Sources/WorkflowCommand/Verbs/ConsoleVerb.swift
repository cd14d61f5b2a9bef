import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl console`.
struct ConsoleVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Print an address that opens the console in a browser.",
        discussion: """
            $ wfctl console
            $ ssh -L 7433:127.0.0.1:7433 server wfctl console

            The address begins one session, within a minute, as the caller whom 'wfctl whoami' shows. The session ends \
            after an hour without use, after twelve hours, with its token, and when wfd starts again. wfd serves the \
            console on its TCP addresses.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let (code, address) = try await session.withClient { client in
            (try await client.createSession(), client.address)
        }
        let url = try "\(Self.console(at: address, code))?code=\(code.loginCode)"
        try session.print(code) { "\(url)\n" }
        try session.say("one use, within \(code.expiresInSeconds) s; a session as \(code.actor ?? "unknown")")
    }

    /// Returns the URL of the console: at the daemon's address, or from a socket at the one that the daemon names.
    private static func console(at address: Address, _ code: SessionCode) throws -> String {
        guard case .unix(let path) = address else { return "\(address)/console/" }
        guard let url = code.url else {
            let listen = "unix:\(path)"
            throw CommandFailure(
                .other, "wfd listens on no TCP address, which a browser needs",
                notes: [
                    "start it with '--listen \(listen) --listen 127.0.0.1:7433',",
                    "or with this line in its file: 'listen: [\(listen), 127.0.0.1:7433]'",
                ])
        }
        return url
    }
}
