package import WorkflowStore

/// The party on whose behalf wfd acts or reads. Every command and every query carries its caller.
package struct Caller: Sendable, Hashable {
    /// The actor; `nil` if the actor is unknown.
    package let actor: Actor?
    /// The namespace in which wfd looks up the names that the caller gives.
    package let namespace: NamespaceID
    package let role: Role

    /// The permissions of a caller.
    package enum Role: Sendable, Hashable {
        /// May do everything: anyone who can open the socket.
        case owner
    }

    package init(_ actor: Actor?, namespace: NamespaceID, role: Role) {
        self.actor = actor
        self.namespace = namespace
        self.role = role
    }

    /// Returns the caller for work that the process does unasked. The journal names no actor for such work.
    package static func process(in namespace: NamespaceID) -> Caller {
        Caller(nil, namespace: namespace, role: .owner)
    }
}
