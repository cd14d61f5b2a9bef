package import WorkflowStore

/// A daemon of the store, as a look found it.
package struct DaemonRow: Sendable, Equatable {
    package let id: UniqueID
    /// The address for other daemons, as HOST:PORT; `nil` without one.
    package let peer: String?
    /// The time that is left of the lease, by the server's clock; zero or less if the lease is over.
    package let lease: Duration
    /// The daemon's clock less the server's.
    package let skew: Duration
    /// The number of the tokens that the daemon knows.
    package let tokens: Int64
    package let version: String
    /// True if the daemon's control connection is there; `nil` if the row belongs to another start of the server, which
    /// says nothing about connections now.
    package let isConnected: Bool?

    package init(
        id: UniqueID, peer: String?, lease: Duration, skew: Duration = .zero, tokens: Int64 = 0, version: String = "",
        isConnected: Bool?
    ) {
        self.id = id
        self.peer = peer
        self.lease = lease
        self.skew = skew
        self.tokens = tokens
        self.version = version
        self.isConnected = isConnected
    }

    /// True if the daemon has a lease, and its connection is not known to be gone.
    package var isAlive: Bool { lease > .zero && isConnected != false }
}

/// The daemons of a store and the owners of its partitions at one time.
package struct StoreLook: Sendable, Equatable {
    package let daemons: [DaemonRow]
    /// The owner of each partition, in the order of partitions; `nil` for one that nobody has taken yet.
    package let owners: [UniqueID?]
    /// The number of the last change of the tokens.
    package let tokens: Int64
    package let generation: Int64
    /// True for the time of a lease after this daemon found the server again. Others may not have found it yet, so a
    /// lease that is over says nothing.
    package let isAfterOutage: Bool

    package init(
        daemons: [DaemonRow], owners: [UniqueID?], tokens: Int64 = 0, generation: Int64 = 1, isAfterOutage: Bool = false
    ) {
        self.daemons = daemons
        self.owners = owners
        self.tokens = tokens
        self.generation = generation
        self.isAfterOutage = isAfterOutage
    }

    /// Returns a daemon by its id.
    package func daemon(_ id: UniqueID) -> DaemonRow? { daemons.first { $0.id == id } }
}

/// Judges from looks at a store which daemon should own it.
///
/// Only the log decides who may write. A wrong judgment costs a change of the owner, and never data.
package struct OwnerJudgement: Sendable {
    /// The result of a look.
    package enum Verdict: Sendable, Equatable {
        /// This daemon owns all partitions.
        case own
        /// Another daemon owns partitions, and is alive.
        case other(DaemonRow)
        /// The owner's connection is gone. The next look, after `OwnerJudgement.pause`, decides.
        case suspect(DaemonRow)
        /// The owner is dead, or there is none.
        case take
    }

    /// The time between the two looks that must both miss the owner's connection.
    package static let pause = Duration.milliseconds(500)

    private let id: UniqueID
    /// The owner whose connection was missing, and the first look that missed it.
    private var missing: (owner: UniqueID, since: ContinuousClock.Instant)?

    /// - Parameter id: This daemon.
    package init(of id: UniqueID) {
        self.id = id
    }

    /// Judges a look, which may follow others.
    ///
    /// - Parameter time: The begin of the look.
    package mutating func judge(_ look: StoreLook, at time: ContinuousClock.Instant) -> Verdict {
        let others = look.owners.filter { $0 != id }
        var verdict = others.isEmpty ? Verdict.own : .take
        for case .some(let owner) in others {
            guard let row = look.daemon(owner), row.lease > .zero || look.isAfterOutage else { continue }
            guard row.isConnected == false else {
                missing = nil
                return .other(row)
            }
            guard let missing, missing.owner == owner else {
                missing = (owner, time)
                return .suspect(row)
            }
            if time - missing.since < Self.pause { verdict = .suspect(row) }
        }
        if case .own = verdict { missing = nil }
        return verdict
    }
}
