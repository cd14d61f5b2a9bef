import Foundation
import Synchronization
import WorkflowAccess
import WorkflowThreads

/// Looks up the users and groups of `access.unix` on a thread of its own. A directory service may not answer; then the
/// rules cannot be read.
final class RuleReader: Sendable {
    /// The longest wait for all names together.
    private static let patience = 5

    private let state = Mutex(State())

    private struct State {
        /// True while a thread looks names up, also when nobody waits for it any more.
        var isBusy = false
        var found: Result<UnixAccess, AccessError>?
    }

    /// Returns the rules by number. Blocks for as long as the wait may last.
    func access(_ rules: [UnixRule]) throws(AccessError) -> UnixAccess {
        let isFree = state.withLock { state in
            defer { (state.isBusy, state.found) = (true, nil) }
            return !state.isBusy
        }
        guard isFree else { throw .unanswered(after: nil) }
        let end = DispatchSemaphore(value: 0)
        startThread("wfd-rules", turns: .later) { [self] in
            let found = Result { () throws(AccessError) in try UnixAccess(rules) }
            state.withLock { $0 = State(isBusy: false, found: found) }
            end.signal()
        }
        guard end.wait(timeout: .now() + .seconds(Self.patience)) == .success,
            let found = state.withLock({ $0.found })
        else { throw .unanswered(after: Self.patience) }
        return try found.get()
    }
}
