package import WorkflowStore

/// On whose behalf something is done or read; it goes with every command and every question.
package struct Caller: Sendable, Hashable {
    /// Nil when nobody is known.
    package let actor: Actor?
    /// Where the caller's names are looked up.
    package let namespace: NamespaceID
    package let role: Role

    /// What a caller may do.
    package enum Role: Sendable, Hashable {
        /// Everything: whoever may open the socket.
        case owner
    }

    package init(_ actor: Actor?, namespace: NamespaceID, role: Role) {
        self.actor = actor
        self.namespace = namespace
        self.role = role
    }

    /// The process itself: for what happens without anybody asking, and of whom the journal says nothing.
    package static func process(in namespace: NamespaceID) -> Caller {
        Caller(nil, namespace: namespace, role: .owner)
    }
}
