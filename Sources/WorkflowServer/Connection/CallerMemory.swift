import NIOCore
import Synchronization
import WorkflowAPI
import WorkflowAccess

/// The caller of a connection's last request, which is looked up again only after a change of tokens or rules.
final class CallerMemory: Sendable {
    private struct State {
        var authorization: String?
        /// The number of the book when the caller was found; 0 before the first request.
        var number: UInt64 = 0
        var identity: CallerIdentity?
        /// The permission that the last request needed; `nil` if no route has its path.
        var need: Route.Permission?
        /// The function that finds the caller again.
        var find: (@Sendable () -> CallerIdentity?)?
        /// True while a request changes the tokens: its answer must be written, even if it ends its own token.
        var isChanging = false
    }

    private let state = Mutex(State())

    /// Returns the caller with a value of `Authorization`; `nil` if nobody is known by it.
    ///
    /// - Parameter find: Looks the caller up.
    func identity(
        of authorization: String?, needing need: Route.Permission?, in book: AccessBook,
        _ find: @escaping @Sendable () -> CallerIdentity?
    ) -> CallerIdentity? {
        let number = book.number
        let known: CallerIdentity?? = state.withLock { state in
            state.need = need
            state.isChanging = need == .access
            guard state.number == number, state.authorization == authorization else { return nil }
            return .some(state.identity)
        }
        if let known, known?.expires.map({ book.time < $0 }) ?? true { return known }
        let identity = find()
        state.withLock { state in
            state.authorization = authorization
            state.number = number
            state.identity = identity
            state.find = find
        }
        return identity
    }

    /// Returns false if the caller of the last request may not do any more what it did.
    private var isStillAdmitted: Bool {
        let (find, need) = state.withLock { state in (state.isChanging ? nil : state.find, state.need) }
        guard let find else { return true }
        guard let identity = find() else { return false }
        return need.map(identity.permissions.contains) ?? true
    }

    /// Closes a channel, with all that its caller has open, when the caller may not do any more what it did.
    func guardChannel(_ channel: any Channel, by book: AccessBook) {
        book.watch(self) { [weak self] in
            guard let self, !isStillAdmitted else { return }
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { [self] _ in book.unwatch(self) }
    }
}
