import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl release`.
struct ReleaseVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let held effects start.",
        discussion: """
            $ wfctl release

            After 'wfd restore' and 'wfd --hold' no task is handed out and nothing is called until then. It also tries \
            effects again that lacked a secret or a program.
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

/// `wfctl status`.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the daemon takes requests, and whether it holds effects.",
        discussion: "$ wfctl status")

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let health = try await session.withClient { try await $0.ready() }
        try session.print(health) {
            let held: StyledText =
                health.held == true ? "\neffects:   \("held", .bad): 'wfctl release' lets them start" : ""
            return "status:    \(health.status.rawValue)\nversion:   \(health.version ?? "-")" + held + "\n"
        }
    }
}
