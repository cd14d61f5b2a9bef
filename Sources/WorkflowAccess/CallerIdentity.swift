package import WorkflowAPI
package import WorkflowStore

/// A caller: its name in the history, and what it may do.
package struct CallerIdentity: Sendable {
    /// The actor that rows name; `nil` if it is unknown.
    package let actor: Actor?
    package let roles: [Role]
    /// The permissions of all roles together.
    package let permissions: Set<Route.Permission>
    /// The queues whose tasks the caller may take; `nil` for all.
    package let queues: [String]?
    /// True if the caller may name the person for whom it asks.
    package let speaksFor: Bool
    /// The time from which on the caller's token is not accepted; `nil` without an end.
    package let expires: WireTime?

    package init(
        _ actor: Actor?, roles: [Role], queues: [String]? = nil, speaksFor: Bool = false, expires: WireTime? = nil
    ) {
        self.actor = actor
        self.roles = roles
        permissions = roles.reduce(into: []) { $0.formUnion($1.permissions) }
        self.queues = queues
        self.speaksFor = speaksFor
        self.expires = expires
    }

    /// Returns the caller with the name of the person for whom it asks. The permissions stay those of the caller.
    package func onBehalf(of person: String) -> CallerIdentity {
        CallerIdentity(
            Actor(rawValue: "\(actor?.rawValue ?? "")(\(person))"), roles: roles, queues: queues, speaksFor: speaksFor,
            expires: expires)
    }

    /// Returns true for a person's name: 1 to 100 printable ASCII characters without brackets. So a name is a part of
    /// the actor, and cannot look like another.
    package static func isPerson(_ name: String) -> Bool {
        (1...APILimits.personBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x20...0x7E).contains($0) && !brackets.contains($0) }
    }

    private static let brackets = "()[]{}<>".utf8
}
