import NIOCore
import Synchronization

/// The connections of one address. Past the bound, the connection that was idle longest is closed for a new one. If
/// none is idle, the new connection is an extra connection, which gets one answer and is closed soon.
final class Connections: Sendable {
    private let bound: Int
    private let extraBound: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var places: [ObjectIdentifier: ConnectionPlace] = [:]
        /// The extra connections, oldest first.
        var extras: [ConnectionPlace] = []
    }

    init(bound: Int, extraBound: Int) {
        self.bound = bound
        self.extraBound = extraBound
    }

    /// Admits a connection, on its event loop. Searches all other connections if there are too many.
    func admit(_ channel: any Channel) -> ConnectionPlace {
        let (place, leaving) = state.withLock { state -> (ConnectionPlace, ConnectionPlace?) in
            let idlest = state.places.count < bound ? nil : state.idlest
            let isExtra = state.places.count >= bound && idlest == nil
            let place = ConnectionPlace(channel, isExtra: isExtra)
            if isExtra {
                state.extras.append(place)
                return (place, state.extras.count > extraBound ? state.extras.removeFirst() : nil)
            }
            if let idlest { state.places[ObjectIdentifier(idlest)] = nil }
            state.places[ObjectIdentifier(place)] = place
            return (place, idlest)
        }
        if let leaving { close(leaving) }
        channel.closeFuture.whenComplete { _ in self.leave(place) }
        return place
    }

    private func close(_ place: ConnectionPlace) {
        place.channel.eventLoop.execute { [self] in
            if place.isExtra || place.isIdle { return place.channel.close(promise: nil) }
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
    fileprivate var idlest: ConnectionPlace? {
        places.values.filter { $0.idleSince != nil }.min { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) }
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

    init(_ channel: any Channel, isExtra: Bool = false) {
        self.channel = channel
        self.isExtra = isExtra
        idle = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// The time when the last answer ended or the connection was admitted; `nil` if any part of a request has arrived
    /// since.
    var idleSince: UInt64? {
        let since = idle.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// True if nothing has arrived and nothing is left to write. Must be read on the connection's event loop.
    var isIdle: Bool { idleSince != nil && UnreadAnswers.pendingBytes(of: channel) == 0 }

    func isUsed() { idle.store(0, ordering: .relaxed) }

    func rests() { idle.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
}
