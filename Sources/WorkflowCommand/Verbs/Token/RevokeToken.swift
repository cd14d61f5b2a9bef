import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl token revoke`.
struct RevokeToken: Verb {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a token: it ends now, with every request that it has open.",
        discussion: """
            $ wfctl token revoke shop

            A restored backup does not bring the token back.
            """)

    @Argument(help: "The token's name.")
    var name: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let item = try await session.withClient { client in try await client.revokeToken(name) }
        try session.print(item) { "\(item.name): revoked\n" }
    }
}
