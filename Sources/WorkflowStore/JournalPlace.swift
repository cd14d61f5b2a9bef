/// A place in the journals of all partitions of a store: the position in each, in the order of partitions.
package struct JournalPlace: Hashable, Sendable {
    package private(set) var positions: [Position]

    /// - Parameter positions: A position of each partition, in the order of partitions from the first on.
    package init(_ positions: [Position]) { self.positions = positions }

    /// Returns the place before all rows of some partitions.
    package static func beginning(of partitions: [PartitionID]) -> JournalPlace {
        JournalPlace(partitions.map(Position.beginning))
    }

    /// The only position; `nil` if there are several partitions.
    package var only: Position? { positions.count == 1 ? positions.first : nil }

    /// Returns the position in a partition; the beginning of a partition that the place has not.
    package func position(in partition: PartitionID) -> Position {
        positions.first { $0.partition == partition } ?? .beginning(of: partition)
    }

    /// Moves forward to a position; a position that was passed changes nothing.
    package mutating func advance(to position: Position) {
        for place in positions.indices where positions[place].partition == position.partition {
            positions[place] = max(positions[place], position)
        }
    }

    /// Returns true if the place is at or behind another in each partition.
    package func hasReached(_ other: JournalPlace) -> Bool {
        other.positions.allSatisfy { position(in: $0.partition) >= $0 }
    }

    /// Returns the number of positions from another place to this one.
    package func distance(from other: JournalPlace) -> Int64 {
        positions.reduce(0) { $0 + max(0, $1.number - other.position(in: $1.partition).number) }
    }
}
