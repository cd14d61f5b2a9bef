import Statechart

/// A selection of the recorded deletions and changes of a namespace, latest first.
package struct AuditQuery: Sendable, Equatable {
    /// The kind of an entry.
    package enum Kind: Sendable, Equatable {
        case deletion
        case change(ChangeAction)
    }

    /// The kind; `nil` for all.
    package var kind: Kind?
    /// The caller; `nil` for all. Without brackets it also stands for its persons and names, such as `token:sso` for
    /// `token:sso(ana)`.
    package var actor: Actor?
    /// The earliest time; `nil` for all.
    package var since: Timestamp?
    /// The position before which the page begins; `nil` for the first page.
    package var before: Position?
    package var limit: Int

    package init(
        kind: Kind? = nil, actor: Actor? = nil, since: Timestamp? = nil, before: Position? = nil, limit: Int
    ) {
        self.kind = kind
        self.actor = actor
        self.since = since
        self.before = before
        self.limit = limit
    }
}

extension AuditQuery {
    /// The text with which further actors begin that the query takes; `nil` if it takes its own actor alone.
    package var actorPrefix: String? {
        actor.flatMap { $0.rawValue.contains("(") ? nil : $0.rawValue + "(" }
    }

    /// Returns true if the query takes what an actor did.
    package func takes(_ other: Actor?) -> Bool {
        guard let actor else { return true }
        return other == actor || actorPrefix.map { other?.rawValue.hasPrefix($0) ?? false } ?? false
    }
}

/// A recorded deletion or change.
package enum AuditEntry: Sendable, Equatable {
    case deletion(AuditRecord)
    case change(ChangeRecord)

    package var position: Position {
        switch self {
        case .deletion(let audit): audit.position
        case .change(let change): change.position
        }
    }
}

/// A page of recorded deletions and changes.
package struct AuditPage: Sendable, Equatable {
    package var entries: [AuditEntry]
    /// The position before which the next page begins; `nil` for the last page.
    package var next: Position?

    package init(entries: [AuditEntry], next: Position? = nil) {
        self.entries = entries
        self.next = next
    }
}
