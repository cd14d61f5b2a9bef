import NIOCore
package import WorkflowStore

/// Who is at the other end of a connection; found once, when it is taken in.
package struct Peer: Sendable {
    /// Nil when the system does not say it.
    package let actor: Actor?

    package init(actor: Actor?) {
        self.actor = actor
    }

    /// Waits for the name of a user, but not for long; without it the actor is `uid:1000`. On the event loop of the
    /// channel.
    static func find(at channel: any Channel, _ names: UserNames) -> EventLoopFuture<Peer> {
        if let address = channel.remoteAddress, let host = address.ipAddress {
            let text = address.protocol == .inet6 ? "tcp:[\(host)]" : "tcp:\(host)"
            return channel.eventLoop.makeSucceededFuture(Peer(actor: Actor(rawValue: text)))
        }
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(Peer(actor: nil))
        }
        // unix(7): the user as whom the other end connected; it stays, whatever becomes of that process.
        let credentials: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: .socket, name: Credentials.option)
        let loop = channel.eventLoop
        return credentials.flatMap { user in
            names.name(of: user.uid, on: loop).map { name in
                let name = name.map { "(\($0))" } ?? ""
                return Peer(actor: Actor(rawValue: "uid:\(user.uid)\(name)"))
            }
        }.recover { _ in Peer(actor: nil) }
    }

    /// `struct ucred` of unix(7), which Swift does not see.
    private struct Credentials: Sendable {
        /// `SO_PEERCRED`
        static let option = NIOBSDSocket.Option(rawValue: 17)

        let pid: Int32
        let uid: UInt32
        let gid: UInt32
    }
}
