import NIOCore
package import WorkflowAPI
package import WorkflowAccess
package import WorkflowEngine
import WorkflowStore

/// Decides on one address who calls, and what the caller may do.
package struct AccessControl: Sendable {
    /// A request's caller, as the gate admits it.
    package struct Admission: Sendable {
        /// The caller, as the engine sees it.
        package let caller: Caller
        /// The caller's permissions.
        package let identity: CallerIdentity
        /// Returns false if the caller may not do any more what the request asks: a token was revoked meanwhile.
        let stillHolds: @Sendable () -> Bool
    }

    /// The fields of a request's head that concern its caller.
    struct Credentials {
        /// The value of `Authorization`; `nil` without one.
        var authorization: String?
        /// The value of `Wfd-On-Behalf-Of`; `nil` without one.
        var person: String?
        /// True if `Authorization` stands more than once.
        var areRepeated = false
        /// True if `Wfd-On-Behalf-Of` stands more than once.
        var isPersonRepeated = false
        /// The value of `Wfd-Forwarded-Caller`; `nil` without one.
        var forwarded: String?
        /// True if `Wfd-Forwarded-Caller` stands more than once.
        var isForwardedRepeated = false
    }

    /// The known callers; `nil` lets everybody do everything.
    let book: AccessBook?
    /// The role of callers without credentials over TCP; `nil` refuses them.
    private let anonymous: Role?
    /// True on the address for other daemons, which have identified the caller.
    private var isForPeers = false

    /// Lets everybody do everything.
    package static let everyone = AccessControl(book: nil, anonymous: nil)

    /// - Parameters:
    ///   - book: The known callers.
    ///   - anonymous: The role of callers without credentials over TCP; `nil` refuses them.
    package init(_ book: AccessBook, anonymous: Role? = nil) {
        self.init(book: book, anonymous: anonymous)
    }

    private init(book: AccessBook?, anonymous: Role?) {
        self.book = book
        self.anonymous = anonymous
    }

    /// The same for the address for other daemons: it heeds the callers that they name, and no credentials.
    var ofPeers: AccessControl {
        var control = self
        control.isForPeers = true
        return control
    }

    /// Admits a request to a route, or returns the problem. The route is `nil` if no route has the path and method.
    func admit(_ credentials: Credentials, from peer: Peer, for route: Route?) -> Result<Admission, Problem> {
        let need = route?.permission
        // A supervisor and a load balancer have no credentials.
        if need == .health { return .success(Admission(CallerIdentity(peer.actor, roles: []))) }
        if isForPeers { return admitForwarded(credentials, for: route) }
        if let book, !book.isCurrent, credentials.authorization != nil || peer.origin.isOfToken {
            return .failure(Self.unchecked)
        }
        guard !credentials.areRepeated, var identity = identity(of: credentials, peer, need) else {
            return .failure(Self.unauthenticated)
        }
        if let person = credentials.person {
            guard identity.speaksFor else { return .failure(Self.speaksForNobody(identity)) }
            guard !credentials.isPersonRepeated, CallerIdentity.isPerson(person) else { return .failure(Self.noPerson) }
            identity = identity.onBehalf(of: person)
        }
        if let need, !identity.permissions.contains(need) { return .failure(Self.forbidden(identity, route, need)) }
        guard let book else { return .success(Admission(identity)) }
        return .success(Admission(identity) { [memory = peer.memory] in memory.stillAdmits(need, in: book) })
    }

    /// Admits a request that another daemon has forwarded. That daemon watches over the caller's token.
    private func admitForwarded(_ credentials: Credentials, for route: Route?) -> Result<Admission, Problem> {
        guard let forwarded = credentials.forwardedCaller else { return .failure(Self.notForwarded) }
        let identity = forwarded.identity
        if let need = route?.permission, !identity.permissions.contains(need) {
            return .failure(Self.forbidden(identity, route, need))
        }
        return .success(Admission(caller: forwarded.caller, identity: identity, stillHolds: { true }))
    }

    /// Returns the caller of a request; `nil` if nobody is known by its credentials.
    private func identity(
        of credentials: Credentials, _ peer: Peer, _ need: Route.Permission?
    ) -> CallerIdentity? {
        guard let book else { return CallerIdentity(peer.actor, roles: [.admin]) }
        return peer.memory.identity(
            of: credentials.authorization, for: credentials.person, needing: need, in: book,
            find(credentials.authorization, peer, in: book))
    }

    /// Returns the caller of a request before the gate sees it: the peer without a role if nobody is known by the
    /// credentials.
    func caller(_ credentials: Credentials, from peer: Peer) -> CallerIdentity {
        if isForPeers { return credentials.forwardedCaller?.identity ?? CallerIdentity(peer.actor, roles: []) }
        guard let book else { return CallerIdentity(peer.actor, roles: [.admin]) }
        guard !credentials.areRepeated, let identity = find(credentials.authorization, peer, in: book)()
        else { return CallerIdentity(peer.actor, roles: []) }
        return identity.speaking(for: credentials.person)
    }

    /// Returns the function that looks a caller up.
    private func find(
        _ authorization: String?, _ peer: Peer, in book: AccessBook
    ) -> @Sendable () -> CallerIdentity? {
        // The peer itself has the memory, which keeps the function, so the function must not hold the peer.
        { [self, actor = peer.actor, origin = peer.origin] in
            if let authorization { return Self.token(in: authorization).flatMap(book.caller) }
            switch origin {
            case .user(let user, let groups): return CallerIdentity(actor, roles: book.roles(ofUser: user, groups))
            case .unknown: return nil
            case .tcp: return anonymous.map { CallerIdentity(actor, roles: [$0]) }
            case .session(let caller): return identity(of: caller)
            }
        }
    }

    /// Returns the caller of a session as it is now; `nil` if it may not call any more.
    func identity(of caller: SessionCaller) -> CallerIdentity? {
        let found: CallerIdentity?
        switch caller.credential {
        case .token(let mark): found = book?.caller(with: mark)
        case .peer(let actor, let origin): found = identity(of: Credentials(), Peer(actor: actor, origin), nil)
        }
        guard let found, let person = caller.person else { return found }
        return found.speaksFor ? found.onBehalf(of: person) : nil
    }

    /// Returns the caller of a request for the session that it begins. The gate has admitted the request.
    func sessionCaller(_ credentials: Credentials, _ peer: Peer) -> SessionCaller? {
        if case .session(let caller) = peer.origin { return caller }
        guard let authorization = credentials.authorization, book != nil else {
            return SessionCaller(credential: .peer(peer.actor, peer.origin), person: nil)
        }
        return Self.token(in: authorization).map {
            SessionCaller(credential: .token($0.mark), person: credentials.person)
        }
    }

    /// Closes a connection when its caller may not do any more what it did: its token was revoked or has expired, or
    /// the rules for users have changed.
    func guardConnection(_ place: ConnectionPlace, of peer: Peer, _ codec: RequestCodec) {
        if let book, !isForPeers { peer.memory.guardConnection(place, codec, by: book) }
    }

    /// Counts a request without valid credentials.
    func failed(from peer: Peer) { book?.failed(from: peer.actor?.rawValue ?? "") }

    /// Returns the token of `Bearer TOKEN` (RFC 6750, 2.1).
    private static func token(in authorization: String) -> AccessToken? {
        let words = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }  // Proof: there are two
        return AccessToken(words[1])
    }
}

extension AccessControl.Credentials {
    /// The caller that another daemon names; `nil` if it names none, or more than one.
    fileprivate var forwardedCaller: ForwardedCaller? {
        isForwardedRepeated ? nil : forwarded.flatMap { ForwardedCaller(header: $0) }
    }
}

extension AccessControl.Admission {
    fileprivate init(_ identity: CallerIdentity, stillHolds: @escaping @Sendable () -> Bool = { true }) {
        self.init(
            caller: Caller(identity.actor, namespace: .default), identity: identity, stillHolds: stillHolds)
    }
}

extension AccessControl {
    /// The same for no, unknown, revoked and expired credentials: nobody learns which tokens there are.
    static let unauthenticated = Problem(
        .unauthenticated, detail: "The request needs a valid token: 'Authorization: Bearer wfdt_…'")

    private static let notForwarded = Problem(
        .unauthenticated, detail: "This address is for other daemons of the same database; use another address")

    /// Another daemon may have revoked the token.
    private static let unchecked = Problem(
        .storageUnavailable, detail: "No token can be checked now: the database does not answer")

    private static let noPerson = Problem(
        .invalidRequest,
        detail:
            "Wfd-On-Behalf-Of must stand once, with 1 to \(APILimits.personBytes) printable ASCII characters, "
            + "without brackets"
    )

    private static func speaksForNobody(_ identity: CallerIdentity) -> Problem {
        Problem(
            .forbidden,
            detail: "\(identity.name) may not send Wfd-On-Behalf-Of; a token of 'wfctl token create --speaks-for' may")
    }

    static func forbidden(_ identity: CallerIdentity, _ route: Route?, _ need: Route.Permission) -> Problem {
        let roles = Role.having(need)
        let names = roles.map(\.rawValue)
        let list = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
            .joined(separator: " and ")
        var problem = Problem(
            .forbidden,
            detail: "\(identity.name) may not \(route?.verb ?? "do this"): that needs '\(need.rawValue)', which "
                + "\(list) \(names.count < 2 ? "has" : "have")")
        problem.permission = need
        problem.roles = roles
        return problem
    }
}

extension CallerIdentity {
    /// Returns the caller with a person for whom it may speak; otherwise the caller itself.
    func speaking(for person: String?) -> CallerIdentity {
        guard let person, speaksFor, Self.isPerson(person) else { return self }
        return onBehalf(of: person)
    }

    /// The caller's name, for messages.
    var name: String { actor?.rawValue ?? "This caller" }
}

extension Route {
    /// The route's name in words, such as `apply definition`.
    fileprivate var verb: String {
        name.reduce(into: "") { text, letter in text += letter.isUppercase ? " " + letter.lowercased() : "\(letter)" }
    }
}
