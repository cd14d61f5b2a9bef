import Synchronization
package import WorkflowStore

/// The row with a store's tokens, in a schema of its own.
///
/// Backups of the data leave it out, and roles that read the data need no right to it.
package final class TokenTable: Sendable {
    private let address: PostgresAddress
    /// The number of the content that was read or written last.
    private let number = Mutex<Int64>(0)

    package init(_ address: PostgresAddress) {
        self.address = address
    }

    /// Returns the content; `nil` if nothing was ever written.
    package func read() throws(StoreError) -> [UInt8]? {
        try run(Request(Self.read), "read the tokens in") { answer in
            try answer.first { row in (number: try row.ordinal(), content: try row.text()) }
        }.map { found in
            number.withLock { $0 = found.number }
            return Array(found.content.utf8)
        }
    }

    /// Replaces the content that was read or written last.
    ///
    /// - Throws: `fenced` if another daemon has replaced it meanwhile.
    package func write(_ content: String) throws(StoreError) {
        try number.withLock { number throws(StoreError) in
            let old = number
            let request = Request(Self.write) {
                $0.add(old)
                $0.add(content)
            }
            let isWritten = try run(request, "write the tokens in") { answer in answer.changes == 1 }
            guard isWritten else {
                throw StoreError(
                    .fenced, "Cannot write the tokens in '\(address)': another daemon has changed them meanwhile")
            }
            number += 1
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
