import Foundation
import NIOCore
package import WorkflowStore

/// The other end of a connection, found once, when the connection is admitted.
package struct Peer: Sendable {
    /// The place from which the connection comes.
    package enum Origin: Sendable {
        /// A user of this machine, with its groups, over a unix socket.
        case user(UInt32, groups: [UInt32])
        case tcp
        /// A page of the console, made for a session's caller.
        case session(SessionCaller)
        /// A connection of which the system reports nothing; its caller may do nothing.
        case unknown

        /// True for a session that was begun with a token.
        var isOfToken: Bool {
            guard case .session(let caller) = self, case .token = caller.credential else { return false }
            return true
        }
    }

    /// The actor; `nil` if the system does not report one.
    package let actor: Actor?
    let origin: Origin
    /// The caller of the connection's last request.
    let memory = CallerMemory()

    /// - Parameter origin: The place from which the connection comes.
    package init(actor: Actor?, _ origin: Origin = .unknown) {
        self.actor = actor
        self.origin = origin
    }

    /// Finds the peer of a channel, on the channel's event loop. The wait for a user's name is short; without a name
    /// the actor is, for example, `uid:1000`.
    ///
    /// - Parameter isOnTCP: True if the channel's listener is on TCP. The channel may be closed already; then it has no
    ///   address.
    static func find(at channel: any Channel, isOnTCP: Bool, _ names: UserNames) -> EventLoopFuture<Peer> {
        if isOnTCP {
            let address = channel.remoteAddress
            let text = address?.ipAddress.map { address?.protocol == .inet6 ? "tcp:[\($0)]" : "tcp:\($0)" }
            return channel.eventLoop.makeSucceededFuture(Peer(actor: text.map { Actor(rawValue: $0) }, .tcp))
        }
        guard let (user, groups) = user(of: channel) else {
            return channel.eventLoop.makeSucceededFuture(Peer(actor: nil))
        }
        return names.name(of: user, on: channel.eventLoop).map { name in
            let name = name.map { "(\($0))" } ?? ""
            return Peer(actor: Actor(rawValue: "uid:\(user)\(name)"), .user(user, groups: groups))
        }
    }

    /// Returns the user of the other end with its groups; `nil` if the system does not report them.
    private static func user(of channel: any Channel) -> (user: UInt32, groups: [UInt32])? {
        let operations = channel.pipeline.syncOperations
        // An error means that the connection is closed already.
        let found = try? operations.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            user(of: socket).map { (user: $0.user, groups: [$0.group] + groups(of: socket)) }
        }
        return found ?? nil
    }

    /// Returns the user as whom the other end connected (unix(7)), and its first group. The value stays, whatever
    /// happens to that process.
    private static func user(of socket: CInt) -> (user: UInt32, group: UInt32)? {
        // struct ucred, which Swift does not see: process, user, group.
        var credentials: [UInt32] = [0, 0, 0]
        var length = socklen_t(12)
        let peerCredentials: CInt = 17
        guard getsockopt(socket, SOL_SOCKET, peerCredentials, &credentials, &length) == 0, length == 12 else {
            return nil
        }
        // A socket that is not connected to a user has the user -1.
        return credentials[1] == .max ? nil : (credentials[1], credentials[2])  // Proof: there are three.
    }

    /// Returns the further groups of that user at that time.
    private static func groups(of socket: CInt) -> [UInt32] {
        let peerGroups: CInt = 59
        var length = socklen_t(0)
        // The kernel says how much room it needs.
        guard getsockopt(socket, SOL_SOCKET, peerGroups, nil, &length) != 0, errno == ERANGE else { return [] }
        var groups = [UInt32](repeating: 0, count: Int(length) / 4)
        guard getsockopt(socket, SOL_SOCKET, peerGroups, &groups, &length) == 0 else { return [] }
        return Array(groups.prefix(Int(length) / 4))
    }
}
