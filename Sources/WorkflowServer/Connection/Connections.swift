import NIOCore
import Synchronization
import WorkflowStore

/// The connections of one address. Past the bound, a connection without a request yet is closed for a new one, or else
/// the connection that was idle longest. If there is neither, the new connection is an extra connection. With its first
/// request its caller is known: if another caller has more, that caller's newest connection is closed for it. Otherwise
/// the extra connection gets one answer and is closed soon.
final class Connections: Sendable {
    private let bound: Int
    private let extraBound: Int
    private let grace: TimeAmount
    private let state = Mutex(State())

    fileprivate struct State {
        var places: [ObjectIdentifier: ConnectionPlace] = [:]
        /// The extra connections, oldest first.
        var extras: [ConnectionPlace] = []
    }

    /// - Parameter grace: The time in which a caller sends its first request, if it can. So callers that come together
    ///   do not make each other leave while others are idle.
    init(bound: Int, extraBound: Int, grace: TimeAmount = .seconds(1)) {
        self.bound = bound
        self.extraBound = extraBound
        self.grace = grace
    }

    /// Admits a connection, on its event loop. Searches all other connections if there are too many.
    func admit(_ channel: any Channel, of peer: Peer = Peer(actor: nil)) -> ConnectionPlace {
        let (place, leaving) = state.withLock { state -> (ConnectionPlace, ConnectionPlace?) in
            let leaving = state.places.count < bound ? nil : state.leaving(after: grace)
            let isExtra = state.places.count >= bound && leaving == nil
            let place = ConnectionPlace(channel, of: peer, isExtra: isExtra)
            if isExtra {
                state.extras.append(place)
                return (place, state.extras.count > extraBound ? state.extras.removeFirst() : nil)
            }
            if let leaving { state.places[ObjectIdentifier(leaving)] = nil }
            state.places[ObjectIdentifier(place)] = place
            return (place, leaving)
        }
        if let leaving { close(leaving) }
        channel.closeFuture.whenComplete { _ in self.leave(place) }
        return place
    }

    /// Admits an extra connection of a known caller like any other, on its event loop, if another connection gives way.
    /// Searches all other connections.
    func admit(_ place: ConnectionPlace, for caller: Actor?) {
        let (leaving, isBusy) = state.withLock { state -> (ConnectionPlace?, Bool) in
            guard let number = state.extras.firstIndex(where: { $0 === place }) else { return (nil, false) }
            var leaving: ConnectionPlace?
            var isBusy = false
            if state.places.count >= bound {
                leaving = state.leaving(after: grace)
                isBusy = leaving == nil
                if isBusy { leaving = state.leaving(for: caller) }
                guard let leaving else { return (nil, false) }
                state.places[ObjectIdentifier(leaving)] = nil
            }
            state.extras.remove(at: number)
            state.places[ObjectIdentifier(place)] = place
            place.isAdmitted(for: caller)
            return (leaving, isBusy)
        }
        guard let leaving else { return }
        if isBusy { leaving.channel.eventLoop.execute { leaving.cutOff() } } else { close(leaving) }
    }

    private func close(_ place: ConnectionPlace) {
        place.channel.eventLoop.execute { [self] in
            if place.isExtra || place.isIdle || !place.hasRequested { return place.cutOff() }
            // A request arrived meanwhile and is answered; there is one connection too many for a while.
            guard place.channel.isActive else { return }
            state.withLock { $0.places[ObjectIdentifier(place)] = place }
        }
    }

    private func leave(_ place: ConnectionPlace) {
        state.withLock { state in
            state.places[ObjectIdentifier(place)] = nil
            state.extras.removeAll { $0 === place }
        }
    }
}

extension Connections.State {
    /// The connection that gives way to a new one; `nil` if all have requests under way.
    fileprivate func leaving(after grace: TimeAmount) -> ConnectionPlace? {
        let unheard = places.values.filter { !$0.hasRequested }.min { $0.admitted < $1.admitted }
        if let unheard, unheard.admitted + grace <= .now() { return unheard }
        // A new connection is not idle: its first request is on its way.
        let idle = places.values.filter { $0.idleSince != nil && $0.hasRequested }
        return idle.min { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) } ?? unheard
    }

    /// The newest connection of the caller with the most, which gives way to a new one of another caller; `nil` if that
    /// one would then have as many.
    fileprivate func leaving(for caller: Actor?) -> ConnectionPlace? {
        let shares = Dictionary(grouping: places.values, by: \.caller)
        guard let most = shares.values.max(by: { $0.count < $1.count }), (shares[caller]?.count ?? 0) + 1 < most.count
        else { return nil }
        return most.max { $0.admitted < $1.admitted }
    }
}

/// One connection, and the time since which it is idle.
final class ConnectionPlace: Sendable {
    let channel: any Channel
    private let peer: Peer
    /// The caller for whom an extra connection was admitted, until the gate knows it.
    private let first = Mutex<Actor?>(nil)
    private let extra: Atomic<Bool>
    /// The start of idleness, in nanoseconds of the event loop's clock; 0 while the connection is not idle.
    private let idle: Atomic<UInt64>
    let admitted: NIODeadline
    private let requested = Atomic(false)

    init(
        _ channel: any Channel, of peer: Peer = Peer(actor: nil), isExtra: Bool = false, admitted: NIODeadline = .now()
    ) {
        self.admitted = admitted
        self.channel = channel
        self.peer = peer
        extra = Atomic(isExtra)
        idle = Atomic(admitted.uptimeNanoseconds)
    }

    /// True for a connection past the bound. Its one answer is about the daemon's health, or says that there are too
    /// many connections.
    var isExtra: Bool { extra.load(ordering: .relaxed) }

    /// The caller of the last request; the peer while nobody is known.
    var caller: Actor? { peer.memory.actor ?? first.withLock { $0 } ?? peer.actor }

    /// Makes an extra connection one like any other, when its first request has arrived.
    func isAdmitted(for caller: Actor?) {
        requests()
        first.withLock { $0 = caller }
        extra.store(false, ordering: .relaxed)
    }

    /// The time when the last answer ended or the connection was admitted; `nil` if any part of a request has arrived
    /// since.
    var idleSince: UInt64? {
        let since = idle.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// True if nothing has arrived and nothing is left to write. Must be read on the connection's event loop.
    var isIdle: Bool { idleSince != nil && UnreadAnswers.pendingBytes(of: channel) == 0 }

    /// True if the whole head of a request has arrived.
    var hasRequested: Bool { requested.load(ordering: .relaxed) }

    func requests() { requested.store(true, ordering: .relaxed) }

    /// Closes the connection at its socket, on its event loop. The handlers would wait for the end of the handshake.
    func cutOff() {
        let socket = try? channel.pipeline.syncOperations.context(handlerType: UnreadAnswers.self)
        if let socket { socket.close(promise: nil) } else { channel.close(promise: nil) }
    }

    func isUsed() { idle.store(0, ordering: .relaxed) }

    func rests() { idle.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
}
