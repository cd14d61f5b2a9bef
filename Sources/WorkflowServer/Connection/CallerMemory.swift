import NIOCore
import Synchronization
import WorkflowAPI
import WorkflowAccess
import WorkflowStore

/// The caller of a connection's last request, which is looked up again only after a change of tokens or rules.
final class CallerMemory: Sendable {
    private struct State {
        var authorization: String?
        /// The person of the last request.
        var person: String?
        /// The number of the book when the caller was found; 0 while it is looked up.
        var number: UInt64 = 0
        var identity: CallerIdentity?
        /// The permission that the last request needed; `nil` if no route has its path.
        var need: Route.Permission?
        /// The function that finds the caller again.
        var find: (@Sendable () -> CallerIdentity?)?
        /// True while the request changes the tokens: its answer must be written, even if it ends its own token.
        var isChanging = false
    }

    /// The longest value of `Authorization` that can have a token. Longer ones are not kept.
    private static let longest = 100

    private let state = Mutex(State())

    /// The actor of the last request; `nil` if nobody was found.
    var actor: Actor? { state.withLock { state in state.identity?.speaking(for: state.person).actor } }

    /// Returns the caller with a value of `Authorization`; `nil` if nobody is known by it.
    ///
    /// - Parameter find: Looks the caller up.
    func identity(
        of authorization: String?, for person: String?, needing need: Route.Permission?, in book: AccessBook,
        _ find: @escaping @Sendable () -> CallerIdentity?
    ) -> CallerIdentity? {
        if let authorization, authorization.utf8.count > Self.longest { return nil }
        while true {
            let number = book.number
            let known: CallerIdentity?? = state.withLock { state in
                state.need = need
                state.person = person
                if state.number == number, state.authorization == authorization { return .some(state.identity) }
                (state.authorization, state.number, state.find) = (authorization, 0, find)
                return nil
            }
            if let known, known?.expires.map({ book.time < $0 }) ?? true { return known }
            let identity = find()
            state.withLock { ($0.number, $0.identity) = (number, identity) }
            // A change meanwhile may have ended what was just found, and its watchers did not know this request.
            if book.number == number { return identity }
        }
    }

    /// Returns true if the caller of the last request still has a permission. Costs little while nothing has changed.
    func stillAdmits(_ need: Route.Permission?, in book: AccessBook) -> Bool {
        let (identity, number, find) = state.withLock { ($0.identity, $0.number, $0.find) }
        let isKnown = number == book.number && identity?.expires.map { book.time < $0 } ?? true
        let current = isKnown ? identity : find?()
        return current.map { identity in need.map(identity.permissions.contains) ?? true } ?? false
    }

    /// Calls a function that changes the tokens. Meanwhile the connection stays, whatever the change ends.
    func changing<Value>(_ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0.isChanging = true }
        defer { state.withLock { $0.isChanging = false } }
        return try body()
    }

    /// Closes a connection, with all that its caller has open, when the caller may not do any more what it did. One
    /// without a request stays: its next request is looked up anew.
    func guardConnection(_ place: ConnectionPlace, _ codec: RequestCodec, by book: AccessBook) {
        let channel = place.channel
        let codec = NIOLoopBound(codec, eventLoop: channel.eventLoop)
        book.watch(self) { [weak self] in
            guard let self else { return }
            let (hasCaller, isChanging, need) = state.withLock { ($0.find != nil, $0.isChanging, $0.need) }
            if !hasCaller || isChanging || need == .health || stillAdmits(need, in: book) { return }
            channel.eventLoop.execute { if codec.value.isBusy { place.cutOff() } }
        }
        channel.closeFuture.whenComplete { [self] _ in book.unwatch(self) }
    }
}
