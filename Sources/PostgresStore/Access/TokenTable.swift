import Synchronization
package import WorkflowStore

/// The row with a store's tokens, in a schema of its own.
///
/// Backups of the data leave it out, and roles that read the data need no right to it.
package final class TokenTable: Sendable {
    private let address: PostgresAddress
    /// The number of the content that was read or written last, and a content of which nobody knows if it was written.
    private let state = Mutex<(number: Int64, doubtful: String?)>((0, nil))

    package init(_ address: PostgresAddress) {
        self.address = address
    }

    /// The number of the content that was read or written last; 0 before.
    package var number: Int64 { state.withLock { $0.number } }

    /// Returns the content; `nil` if nothing was ever written.
    package func read() throws(StoreError) -> [UInt8]? {
        guard let found = try stored() else { return nil }
        state.withLock { $0.number = found.number }
        return Array(found.content.utf8)
    }

    private func stored() throws(StoreError) -> (number: Int64, content: String)? {
        try run(Request(Self.read), "read the tokens in") { answer in
            try answer.first { row in (number: try row.ordinal(), content: try row.text()) }
        }
    }

    /// Replaces the content that was read or written last.
    ///
    /// - Throws: `fenced` if another daemon has replaced it meanwhile.
    package func write(_ content: String) throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            if let doubtful = state.doubtful {
                if let found = try stored(), found.content == doubtful { state.number = found.number }
                state.doubtful = nil
            }
            let old = state.number
            state.doubtful = content
            let request = Request(Self.write) {
                $0.add(old)
                $0.add(content)
            }
            let isWritten = try run(request, "write the tokens in") { answer in answer.changes == 1 }
            state.doubtful = nil
            guard isWritten else {
                throw StoreError(
                    .fenced, "Cannot write the tokens in '\(address)': another daemon has changed them meanwhile")
            }
            state.number += 1
        }
    }

    private func run<Value>(
        _ request: Request, _ work: String, _ body: (Answer) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            guard let answer = try Connection(address).run([request]).first else {
                throw PostgresFailure(.lost, "the server gave no answer")
            }
            return try body(answer)
        } catch {
            throw StoreError("Cannot \(work) '\(address)'", PostgresFailure(error))
        }
    }

    private static let read = Statement(name: "tokens", sql: "SELECT number, content FROM wfd_access.token")

    private static let write = Statement(
        name: "write-tokens",
        sql: """
            INSERT INTO wfd_access.token (id, number, content) SELECT 1, 1, $2::text WHERE $1::bigint = 0
                OR EXISTS (SELECT 1 FROM wfd_access.token)
            ON CONFLICT (id) DO UPDATE SET number = token.number + 1, content = excluded.content
                WHERE token.number = $1::bigint
            """)
}
