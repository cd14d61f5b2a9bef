import Foundation
import PostgresStore
import Synchronization
import WorkflowAccess
import WorkflowStore

/// The tokens in a database that several daemons read and one of them changes.
final class SharedTokens: AccessStorage {
    /// The longest wait for other daemons. It is longer than a lease, without which they take no token.
    private static let patience = Duration.seconds(8)

    private struct State {
        /// The lowest number that a living daemon beside this one knows, as of the last look; `nil` before the first
        /// look after a change.
        var others: Int64?
        /// The threads that wait for the next look.
        var waiters: [DispatchSemaphore] = []
    }

    let path: String
    private let table: TokenTable
    private let state = Mutex(State())

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
        state.withLock { $0.others = nil }
        while ContinuousClock.now < end, let look = nextLook(before: number) {
            _ = look.wait(timeout: .now() + .seconds(1))
        }
    }

    /// Returns a semaphore that the next look signals; `nil` if all know the number.
    private func nextLook(before number: Int64) -> DispatchSemaphore? {
        state.withLock { state in
            if let others = state.others, others >= number { return nil }
            let waiter = DispatchSemaphore(value: 0)
            state.waiters.append(waiter)
            return waiter
        }
    }

    /// Notes what the other daemons of a look know, which began after the changes made so far.
    func saw(_ look: StoreLook, besides id: UniqueID) {
        let others = look.daemons.filter { $0.id != id && $0.isAlive }.map(\.tokens)
        let waiters = state.withLock { state in
            state.others = others.min() ?? .max
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }
}
