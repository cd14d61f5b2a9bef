package import WorkflowAPI

/// The daemon that carries requests out.
package enum RequestPlace: Sendable, Equatable {
    /// This daemon.
    case here
    /// Another daemon, at its address for other daemons.
    case peer(PeerAddress)
    /// No daemon is known to carry them out: another one is about to take over, or this daemon has not heard from the
    /// database for too long.
    case nowhere
}

/// The address at which a daemon listens for other daemons of the same store.
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Knows which daemon carries requests out, for a store that several daemons serve.
package protocol RequestDirectory: Sendable {
    /// The place as of the last look.
    var place: RequestPlace { get }

    /// The daemons of the store as of the last look, in the order of their ids.
    var daemons: [DaemonItem] { get }

    /// Looks again, because the daemon at a place did not answer or does not own the data. Returns after the look, or
    /// when the place is another one; within 2 s.
    func look(after place: RequestPlace) async -> RequestPlace
}
