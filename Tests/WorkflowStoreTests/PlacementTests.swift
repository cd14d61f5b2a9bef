import Testing
import WorkflowStore

/// Tests the partition of an instance. The numbers were computed by another program, and stand for good: another rule
/// would look for stored instances where they are not.
@Suite struct PlacementTests {
    private static func numbers(_ name: InstanceName, in namespace: Int64 = 1) -> [Int64] {
        [1, 4, 16, 64].map { count in
            let key = InstanceKey(name, in: NamespaceID(rawValue: namespace))
            return Placement(partitions: count).partition(of: key).rawValue
        }
    }

    @Test func aNameHasItsPartitionForGood() {
        #expect(Self.numbers("order-1") == [0, 3, 7, 55])
        #expect(Self.numbers("order-2") == [0, 3, 15, 47])
        #expect(Self.numbers("é") == [0, 0, 12, 28])
        #expect(Self.numbers("") == [0, 2, 2, 50])
        #expect(Self.numbers("order-1", in: 2)[2] == 9)
    }

    @Test func childrenLiveWithTheirRoot() {
        #expect(Self.numbers("order-1~a") == Self.numbers("order-1"))
        #expect(Self.numbers("x~y~z") == Self.numbers("x"))
    }

    @Test func aKeyedStartWithoutANameHasItsPartition() throws {
        let machine = MachineKey("lamp", in: .default)
        let keys = [RequestKey(bytes: Array(0..<16)), RequestKey(bytes: Array("k-1".utf8))]
        for (key, numbers) in zip(keys, [[2, 14], [1, 5]] as [[Int64]]) {
            let found = [4, 16].map { Placement(partitions: $0).partition(of: key, startedBy: machine).rawValue }
            #expect(found == numbers)
        }
    }
}
