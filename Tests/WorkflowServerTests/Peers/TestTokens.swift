import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowServer

/// The tokens of a server that a test starts.
final class TestTokens: Sendable {
    private let book = AccessBook { WireTime(milliseconds: 0) }

    /// Returns the decision about callers who have tokens.
    func open(besides database: String) throws -> AccessControl {
        try book.open(AccessFile(besideDatabase: database))
        return AccessControl(book)
    }

    /// Returns the text of a new token.
    func create(_ name: String, _ roles: [Role]) throws -> String {
        try book.create(CreateTokenRequest(name: name, roles: roles), until: nil, by: nil).token.text
    }
}
