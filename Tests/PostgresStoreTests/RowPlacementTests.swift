import Testing
import WorkflowStore

@testable import PostgresStore

/// Tests the places of a file's instances in the partitions of a store.
struct RowPlacementTests {
    /// A number comes from the file. However high it is, it takes little memory, and ends nothing.
    @Test func numbersMayHaveGaps() {
        let placement = RowPlacement(partitions: 16)
        for number in [0, 1, 255, 256, 1 << 47, Int64.max, -1, Int64.min] {
            #expect(placement.partition(of: InstanceID(rawValue: number)) == .first)
        }
    }
}
