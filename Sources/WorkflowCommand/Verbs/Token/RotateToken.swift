import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl token rotate`.
struct RotateToken: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a token a new secret, and print it once.",
        discussion: """
            $ wfctl token rotate shop --overlap 1h

            With --overlap the secret before is accepted for that time, so that no request fails while the program \
            gets its new token. Without it every request with the secret before ends at once.
            """)

    @Argument(help: "The token's name.")
    var name: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Accept the secret before for this time, \(DelayText.formsWithUnit).", valueName: "delay"))
    var overlap: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let overlap { try DelayOption.check("--overlap", overlap) }
    }

    func run(in session: Session) async throws {
        let item = try await session.withClient { client in
            try await client.rotateToken(name, RotateTokenRequest(overlap: overlap))
        }
        try session.print(secret: item)
    }
}
