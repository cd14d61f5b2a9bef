/// One restore of a backup: where a generation of the store begins.
package struct Restoration: Sendable, Equatable {
    /// The generation that began with it.
    package var generation: Int64
    /// The generation of the backup.
    package var parent: Int64
    /// The first position that the generation hands out itself; what is before, it has from its parent.
    package var next: Position
    package var restored: Timestamp

    package init(generation: Int64, parent: Int64, next: Position, restored: Timestamp) {
        self.generation = generation
        self.parent = parent
        self.next = next
        self.restored = restored
    }
}

/// How the generations of a store come from each other.
package struct Lineage: Sendable, Equatable {
    /// Every restore that is known, also of generations that were given up; in the order of generations.
    package let restorations: [Restoration]
    /// The present generation.
    package let generation: Int64

    package init(_ restorations: [Restoration], generation: Int64) {
        self.restorations = restorations.sorted { $0.generation < $1.generation }
        self.generation = generation
    }

    /// The first position at which a generation and the present one may differ: every row before it is in both.
    ///
    /// With a generation of which nothing is known, surely no row is shared.
    package func parting(from other: Int64) -> Position {
        let ours = ancestry(of: generation)
        let theirs = ancestry(of: other)
        for (ancestor, ourEnd) in ours {
            if let (_, theirEnd) = theirs.first(where: { $0.generation == ancestor }) { return min(ourEnd, theirEnd) }
        }
        return Position(rawValue: 1)
    }

    /// A generation and those that it comes from, each with the position up to which (not included) their rows are its
    /// rows; the generation itself first.
    private func ancestry(of generation: Int64) -> [(generation: Int64, end: Position)] {
        var ancestry: [(generation: Int64, end: Position)] = [(generation, Position(rawValue: .max))]
        // A parent is older, so this ends.
        while let (last, end) = ancestry.last, let origin = restorations.first(where: { $0.generation == last }) {
            ancestry.append((origin.parent, min(end, origin.next)))
        }
        return ancestry
    }
}
