import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl release`.
struct ReleaseVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let held effects start.",
        discussion: """
            $ wfctl release

            Effects are held after 'wfd restore', with 'wfd --hold', or when the database was copied or moved: wfd \
            hands out no task and calls nothing. 'release' lets them start. It also retries effects that lacked a \
            secret or a program.
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
