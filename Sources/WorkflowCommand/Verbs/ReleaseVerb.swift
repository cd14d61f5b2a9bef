import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl release`.
struct ReleaseVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let held effects start.",
        discussion: """
            $ wfctl release

            No task is handed out and nothing is called after 'wfd restore', with 'wfd --hold', or when the database was \
            copied or moved, until then. It also tries effects again that lacked a secret or a program.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let release = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in try await client.release() }
        }
        try session.print(release) {
            release.wasHeld
                ? "effects start from now on\n" : "nothing was held as a whole; what lacked something is tried again\n"
        }
    }
}
