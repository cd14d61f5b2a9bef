import Testing
import WorkflowStore

/// Tests that the partition is above bit 48 of a position and of an instance's id.
@Suite struct PartitionNumberTests {
    private static let last = Int64(1) << 48 - 1

    @Test func aNumberHasItsPartition() {
        #expect(Position(.first, number: 7) == Position(rawValue: 7))
        let position = Position(PartitionID(rawValue: 3), number: 7)
        #expect(position == Position(rawValue: 3 << 48 + 7))
        #expect(position?.partition == PartitionID(rawValue: 3) && position?.number == 7)
        #expect(position?.next == Position(PartitionID(rawValue: 3), number: 8))
        let id = InstanceID(PartitionID(rawValue: 1_023), number: Self.last)
        #expect(id?.partition == PartitionID(rawValue: 1_023) && id?.number == Self.last)
        #expect(id?.rawValue ?? 0 > 0)
    }

    private static let strange: [(Int64, Int64)] = [
        (0, 0), (0, last + 1), (0, -1), (-1, 1), (1_024, 1), (.max, 1), (0, .max),
    ]

    @Test(arguments: strange) func whatNoPartitionHandsOutIsNone(partition: Int64, number: Int64) {
        #expect(Position(PartitionID(rawValue: partition), number: number) == nil)
        #expect(InstanceID(PartitionID(rawValue: partition), number: number) == nil)
    }

    @Test func partitionsDoNotOverlap() {
        let ranges = [0, 1, 2, 1_023].map { PartitionID(rawValue: $0).rawValues }
        #expect(ranges[0] == 0...Self.last)
        #expect(ranges[1].lowerBound == ranges[0].upperBound + 1 && ranges[2].lowerBound == ranges[1].upperBound + 1)
        #expect(ranges[3].contains(InstanceID(PartitionID(rawValue: 1_023), number: Self.last)?.rawValue ?? 0))
    }
}
