import Foundation
import PostgresStore
import WorkflowAccess
import WorkflowStore

/// The tokens in a database that several daemons read and one of them changes.
///
/// `@unchecked Sendable`: `others` is read and written under `condition` only.
final class SharedTokens: AccessStorage, @unchecked Sendable {
    /// The longest wait for other daemons. It is longer than a lease, without which they take no token.
    private static let patience = Duration.seconds(8)

    let path: String
    private let table: TokenTable
    private let condition = NSCondition()
    /// The lowest number that a living daemon beside this one knows, as of the last look; `nil` before the first look
    /// after a change.
    private var others: Int64?

    init(_ address: PostgresAddress) {
        path = "\(address)"
        table = TokenTable(address)
    }

    /// The number of the tokens that this daemon knows.
    var known: Int64 { table.number }

    func read() throws(AccessError) -> [UInt8]? {
        do {
            return try table.read()
        } catch {
            throw AccessError(.refused, "\(error)")
        }
    }

    /// Returns when every living daemon knows the change.
    func write(_ bytes: [UInt8], replaced: () -> Void) throws(AccessError) {
        do {
            try table.write(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw AccessError(.notWritten, "\(error)")
        }
        replaced()
        let number = table.number
        let end = ContinuousClock.now + Self.patience
        condition.lock()
        defer { condition.unlock() }
        others = nil
        while others.map({ $0 < number }) ?? true, ContinuousClock.now < end {
            // The clock of this wait may be set, so the loop asks another one.
            _ = condition.wait(until: Date(timeIntervalSinceNow: 1))
        }
    }

    /// Notes what the other daemons of a look know, which began after the changes made so far.
    func saw(_ look: StoreLook, besides id: UniqueID) {
        let others = look.daemons.filter { $0.id != id && $0.isAlive }.map(\.tokens)
        condition.lock()
        self.others = others.min() ?? .max
        condition.broadcast()
        condition.unlock()
    }
}
