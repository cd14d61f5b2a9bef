import WorkflowAccess
import WorkflowStore

/// The caller for whom a session stands: what it needs to be found again, at each request and as it is then.
package struct SessionCaller: Sendable {
    /// The credential of the caller when the session began.
    indirect enum Credential: Sendable {
        case token(TokenMark)
        /// The other end of a connection, for a caller without a token.
        case peer(Actor?, Peer.Origin)
    }

    let credential: Credential
    /// The person for whom the token's holder asked; `nil` for the holder itself.
    let person: String?

    /// The text that all sessions of the same credential share, whoever its persons are.
    var holder: String {
        switch credential {
        case .token(let mark): "token \(mark.id)"
        case .peer(_, .user(let user, _)): "user \(user)"
        case .peer: "others"
        }
    }
}
