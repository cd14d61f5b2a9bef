import NIOCore
import Synchronization

/// The connections of one address. Past the bound, a connection without a request yet is closed for a new one, or else
/// the connection that was idle longest. If there is neither, the new connection is an extra connection, which gets one
/// answer and is closed soon.
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
    func admit(_ channel: any Channel) -> ConnectionPlace {
        let (place, leaving) = state.withLock { state -> (ConnectionPlace, ConnectionPlace?) in
            let leaving = state.places.count < bound ? nil : state.leaving(after: grace)
            let isExtra = state.places.count >= bound && leaving == nil
            let place = ConnectionPlace(channel, isExtra: isExtra)
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
            if place.isExtra { state.extras.removeAll { $0 === place } }
        }
    }
}

extension Connections.State {
    /// The connection that gives way to a new one; `nil` if all have requests under way.
    fileprivate func leaving(after grace: TimeAmount) -> ConnectionPlace? {
        let unheard = places.values.filter { !$0.hasRequested }.min { $0.admitted < $1.admitted }
        if let unheard, unheard.admitted + grace <= .now() { return unheard }
        let idle = places.values.filter { $0.idleSince != nil }
        return idle.min { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) } ?? unheard
    }
}

/// One connection, and the time since which it is idle.
final class ConnectionPlace: Sendable {
    let channel: any Channel
    /// True for a connection past the bound. Its one answer is about the daemon's health, or says that there are too
    /// many connections.
    let isExtra: Bool
    /// The start of idleness, in nanoseconds of the event loop's clock; 0 while the connection is not idle.
    private let idle: Atomic<UInt64>
    let admitted: NIODeadline
    private let requested = Atomic(false)

    init(_ channel: any Channel, isExtra: Bool = false, admitted: NIODeadline = .now()) {
        self.admitted = admitted
        self.channel = channel
        self.isExtra = isExtra
        idle = Atomic(admitted.uptimeNanoseconds)
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
