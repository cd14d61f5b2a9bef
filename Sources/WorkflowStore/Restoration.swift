/// A restore of a backup: the begin of a generation of the store.
package struct Restoration: Sendable, Equatable {
    /// The generation that began with the restore.
    package var generation: Int64
    /// The generation of the backup.
    package var parent: Int64
    /// The first position that the generation assigned itself in the position's partition; the partition's earlier rows
    /// come from the generation's parent.
    package var next: Position
    package var restored: Timestamp

    package init(generation: Int64, parent: Int64, next: Position, restored: Timestamp) {
        self.generation = generation
        self.parent = parent
        self.next = next
        self.restored = restored
    }
}

/// The descent of a store's generations.
package struct Lineage: Sendable, Equatable {
    /// Every known restore, also of abandoned generations, in the order of generations.
    package let restorations: [Restoration]
    /// The present generation.
    package let generation: Int64

    package init(_ restorations: [Restoration], generation: Int64) {
        self.restorations = restorations.sorted { $0.generation < $1.generation }
        self.generation = generation
    }

    /// Returns the first position of a partition at which a generation and the present one may differ; both have every
    /// earlier row.
    ///
    /// An unknown generation is taken to share no row.
    package func parting(from other: Int64, in partition: PartitionID = .first) -> Position {
        let ours = ancestry(of: generation, in: partition)
        let theirs = ancestry(of: other, in: partition)
        for (ancestor, ourEnd) in ours {
            if let (_, theirEnd) = theirs.first(where: { $0.generation == ancestor }) { return min(ourEnd, theirEnd) }
        }
        return Position.beginning(of: partition).next
    }

    /// Returns a generation and its ancestors, the generation itself first. Each has the position up to which (not
    /// included) the generation has its rows.
    private func ancestry(
        of generation: Int64, in partition: PartitionID
    ) -> [(generation: Int64, end: Position)] {
        let restorations = restorations.filter { $0.next.partition == partition }
        var ancestry: [(generation: Int64, end: Position)] = [(generation, Position(rawValue: .max))]
        // A parent is older than its child, so the loop ends.
        while let (last, end) = ancestry.last, let origin = restorations.first(where: { $0.generation == last }) {
            ancestry.append((origin.parent, min(end, origin.next)))
        }
        return ancestry
    }
}
