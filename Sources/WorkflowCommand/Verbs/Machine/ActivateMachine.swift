import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl machine activate`.
struct ActivateMachine: Verb {
    static let configuration = CommandConfiguration(
        commandName: "activate", abstract: "Set the version that new instances of a machine take.",
        discussion: """
            $ wfctl machine activate order 2

            Existing instances keep their version; 'wfctl migrate' moves them. With 'latest', the default, new \
            instances take the latest version.
            """)

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var name: String

    @Argument(
        help: "A version, or 'latest'.",
        transform: { text in
            guard let version = ActiveVersion(text) else {
                throw ValidationError("'\(text)' is no version; versions are 1, 2, …, and 'latest'")
            }
            return version
        })
    var version: ActiveVersion

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let settings = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in
                try await client.activate(name, version)
            }
        }
        try session.print(settings) {
            let version =
                switch settings.active {
                case .latest: "the latest version, now \(settings.latest)"
                case .version(let number): "version \(number)"
                }
            return "\(settings.machine): new instances take \(version)\n"
        }
    }
}
