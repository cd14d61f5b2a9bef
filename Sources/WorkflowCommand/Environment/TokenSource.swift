import WorkflowAPI
import WorkflowClient

/// The place from which a token comes.
enum TokenSource {
    /// The variables have no token.
    case nowhere
    /// A file that `WFCTL_TOKEN_FILE` names.
    case file(String)
    /// `WFCTL_TOKEN` itself.
    case variable
    case context(String)
    /// A person who logs in.
    case login

    /// The source that variables name, none of them empty.
    init(_ variables: [String: String]) {
        if let file = variables["WFCTL_TOKEN_FILE"] {
            self = .file(file)
        } else {
            self = variables["WFCTL_TOKEN"] == nil ? .nowhere : .variable
        }
    }

    /// Returns the token of a file or a variable.
    func token(in environment: CommandEnvironment) throws -> String? {
        switch self {
        case .file(let file): String(decoding: try environment.files.readPrivate(file, limit: 8_192), as: UTF8.self)
        case .variable: environment.variables["WFCTL_TOKEN"]
        case .nowhere, .context, .login: nil
        }
    }

    /// Returns the text for a person whose token is missing or not accepted. It never has the token.
    func refusal(at address: Address) -> String {
        let refused = "'\(address)' does not accept"
        let why = "it is unknown, revoked or expired"
        return switch self {
        case .nowhere:
            "'\(address)' needs a token, and none is given: 'wfctl login \(address) --name NAME' keeps one, or "
                + "WFCTL_TOKEN_FILE names its file"
        case .file(let file):
            "\(refused) the token in '\(file)' (WFCTL_TOKEN_FILE): \(why); put a new one there"
        case .variable: "\(refused) the token in WFCTL_TOKEN: \(why); set a new one"
        case .context(let name):
            "\(refused) the token of the context '\(name)': \(why); 'wfctl login \(address) --name \(name)' takes a "
                + "new one"
        case .login: "\(refused) this token: \(why); 'wfctl token list' at the daemon shows the tokens"
        }
    }
}
