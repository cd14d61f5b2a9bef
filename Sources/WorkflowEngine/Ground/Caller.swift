package import WorkflowStore

/// The party on whose behalf wfd acts or reads. Every command and every query carries its caller.
package struct Caller: Sendable, Hashable {
    /// The actor; `nil` if the actor is unknown.
    package let actor: Actor?
    /// The namespace in which wfd looks up the names that the caller gives.
    package let namespace: NamespaceID

    package init(_ actor: Actor?, namespace: NamespaceID) {
        self.actor = actor
        self.namespace = namespace
    }

    /// Returns the caller for work that the process does unasked. The journal names no actor for such work.
    package static func process(in namespace: NamespaceID) -> Caller {
        Caller(nil, namespace: namespace)
    }

    /// Returns true if the caller is the actor of a row. A user counts by its number: the name may be missing.
    func isActor(_ other: Actor?) -> Bool { actor?.withoutUserName == other?.withoutUserName }
}

extension Actor {
    /// The actor; a user of a unix socket without the name in brackets, such as `uid:1000`.
    fileprivate var withoutUserName: Substring {
        rawValue.hasPrefix("uid:") ? rawValue.prefix { $0 != "(" } : rawValue[...]
    }
}
