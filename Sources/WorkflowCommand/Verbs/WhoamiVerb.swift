import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl whoami`.
struct WhoamiVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show which caller wfd sees, and what this caller may do.",
        discussion: """
            $ wfctl whoami
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let (caller, address) = try await session.withClient { client in
            (try await client.whoami(), client.address)
        }
        try session.print(caller) { "\(caller.line(at: "\(address)"))\n\(caller.details)" }
    }
}

extension Whoami {
    /// Returns the caller in a line: `token:shop at https://wfd.example:7433: send, work`.
    func line(at address: String) -> String {
        let roles = roles.map(\.rawValue).joined(separator: ", ")
        return "\(actor ?? "unknown") at \(address): \(roles.isEmpty ? "no role" : roles)"
    }

    fileprivate var details: StyledText {
        var text: StyledText = "may:      \(permissions.map(\.rawValue).joined(separator: ", "))\n"
        if let queues { text = text + "queues:   \(queues.joined(separator: ", "))\n" }
        if speaksFor == true { text = text + "speaks:   for the person in Wfd-On-Behalf-Of\n" }
        if let expiresAt { text = text + "expires:  \(expiresAt.text)\n" }
        return text
    }
}
