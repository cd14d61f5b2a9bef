import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl token create`.
struct CreateToken: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a token, and print it once.",
        discussion: """
            $ wfctl token create shop --role send,work --expires 90d
            $ wfctl token create packer --role work --queue 'stock,pack.*' >packer.token

            Roles: monitor reads metrics and status; view reads everything; send starts instances and sends events; \
            work takes tasks; deploy applies definitions; operate repairs; admin does everything. 'deploy', 'operate' \
            and 'admin' can do all that the user of wfd can do: a definition can run every program of --exec and use \
            every secret.

            Nobody can read a token again. 'wfctl token rotate' makes another secret.
            """)

    @Argument(help: "The token's name. History rows will name the actor 'token:NAME'.")
    var name: String

    @Option(
        name: .customLong("role"),
        help: ArgumentHelp("The roles, separated by commas: \(Role.words).", valueName: "role,…"),
        transform: Role.list)
    var roles: [Role]

    @Option(
        name: .customLong("queue"),
        help: ArgumentHelp(
            "Let the token take tasks of these queues only; a name may end with *.", valueName: "queue,…"),
        transform: { $0.split(separator: ",").map(String.init) })
    var queues: [String]?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End the token after this time, \(DelayText.formsWithUnit).", valueName: "delay"))
    var expires: String?

    @Flag(
        help: "Let the token name the person for whom it asks, in the header Wfd-On-Behalf-Of: for proxies.")
    var speaksFor = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let message = TokenRule.message(forName: name) { throw ValidationError(message) }
        if let queues, queues.isEmpty || !queues.allSatisfy(TokenRule.isQueue) {
            throw ValidationError("'--queue' needs names of queues of tasks, separated by commas")
        }
        if queues != nil, !roles.contains(.work) {
            throw ValidationError("'--queue' bounds the role 'work', which '--role' does not have")
        }
        if let expires { try DelayOption.check("--expires", expires) }
    }

    func run(in session: Session) async throws {
        let request = CreateTokenRequest(
            name: name, roles: roles, queues: queues, speaksFor: speaksFor ? true : nil, expiresIn: expires)
        let item = try await session.withClient { client in try await client.createToken(request) }
        try session.print(secret: item)
    }
}

extension Role {
    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Parses roles separated by commas.
    static func list(_ text: String) throws -> [Role] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let role = Role(rawValue: String(word)) else {
                throw ValidationError("'\(word)' is no role; write \(words)")
            }
            return role
        }
    }
}

/// An option whose value is a delay with a unit.
enum DelayOption {
    /// Refuses a value that is no delay above zero.
    static func check(_ option: String, _ text: String) throws {
        let milliseconds: Int64
        do throws(DelayError) {
            milliseconds = try DelayText.lengthWithUnit(of: text)
        } catch {
            throw ValidationError("'\(option)': \(error.message)")
        }
        if milliseconds <= 0 { throw ValidationError("'\(option)' must be above zero") }
    }
}

extension Session {
    /// Prints a token with its secret: alone on the output, so that it can be kept in a file.
    func print(secret item: TokenItem) throws {
        try print(item) { "\(item.token ?? "")\n" }
        guard format == .table else { return }
        let end = item.expiresAt.map { ", until \($0.text)" } ?? ""
        try say("shown once; actor 'token:\(item.name)': \(item.roles.map(\.rawValue).joined(separator: ", "))\(end)")
        if let overlap = item.overlapUntil { try say("the secret before is accepted until \(overlap.text)") }
    }
}
