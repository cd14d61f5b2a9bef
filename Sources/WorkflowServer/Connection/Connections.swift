import NIOCore
import Synchronization

/// The connections of one address. Past the bound the one that was idle longest is closed for a new one; when none is
/// idle, the new one is an extra one, which is told so and closed soon.
final class Connections: Sendable {
    private let bound: Int
    private let extraBound: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var places: [ObjectIdentifier: ConnectionPlace] = [:]
        /// The oldest first.
        var extras: [ConnectionPlace] = []
    }

    init(bound: Int, extraBound: Int) {
        self.bound = bound
        self.extraBound = extraBound
    }

    /// Takes a connection in, on its event loop. Costs a look at all others when there are too many.
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
            // A request came meanwhile: it is answered, and there is one connection too many for a while.
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

/// One connection: whether it is idle, and since when.
final class ConnectionPlace: Sendable {
    let channel: any Channel
    /// Past the bound: it gets one answer, about the daemon's health or that there are too many.
    let isExtra: Bool
    /// Nanoseconds of the event loop's clock; 0 while it is not idle.
    private let idle: Atomic<UInt64>

    init(_ channel: any Channel, isExtra: Bool = false) {
        self.channel = channel
        self.isExtra = isExtra
        idle = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// When its last answer ended, or it was taken in; nil when anything of a request has come since.
    var idleSince: UInt64? {
        let since = idle.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// Whether nothing has come and nothing is to be written. On its event loop.
    var isIdle: Bool { idleSince != nil && UnreadAnswers.pendingBytes(of: channel) == 0 }

    func isUsed() { idle.store(0, ordering: .relaxed) }

    func rests() { idle.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
}
