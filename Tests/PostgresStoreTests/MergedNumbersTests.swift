import Testing
import WorkflowStore

@testable import PostgresStore

/// Tests the numbers of several partitions in one.
struct MergedNumbersTests {
    /// Partitions with random numbers of rows, of which a restore has placed some.
    private struct Case {
        let placed: Int64
        /// The positions in use, by partition.
        var used: [[Int64]]
        let edges: [PartitionEdge]

        init(seed: UInt64) {
            var random = SplitMix(state: seed)
            let count = Int.random(in: 2...8, using: &random)
            placed = Bool.random(using: &random) ? 0 : Int64.random(in: 1...40, using: &random)
            used = Array(repeating: [], count: count)
            // Each placed number is in one partition, or its effect has ended.
            for number in 0..<placed where Int.random(in: 0..<5, using: &random) > 0 {
                used[Int.random(in: 0..<count, using: &random)].append(number + 1)
            }
            let placed = placed
            for place in used.indices {
                let own = Int64.random(in: 0...30, using: &random)
                used[place] += (0..<own).map { placed + 1 + $0 }.filter { _ in Int.random(in: 0..<5, using: &random) > 0
                }
            }
            edges = used.map { numbers in
                let end = (numbers.last ?? 0) + 1
                // The floor is the number of a row, or the end.
                let floor = (numbers + [end]).randomElement(using: &random) ?? 1
                return PartitionEdge(
                    floor: floor, end: end, lastRecord: numbers.last ?? 0,
                    next: max(end, placed + 1) + Int64.random(in: 0...3, using: &random),
                    purgeFloor: numbers.randomElement(using: &random) ?? 1)
            }
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    @Test(arguments: [0 as UInt64, 1_000, 2_000]) func rowsKeepTheirOrderAndTheirSideOfTheFloor(first: UInt64) {
        for seed in first..<first + 500 {
            let some = Case(seed: seed)
            let numbers = MergedNumbers(some.edges, placed: (some.placed, 0))
            var all: Set<Int64> = []
            for (place, used) in some.used.enumerated() {
                let moved = used.map { number -> Position in
                    let old = Position(PartitionID(rawValue: Int64(place)), number: number) ?? Position(rawValue: 0)
                    return numbers.position(old, of: InstanceID(rawValue: 1))
                }
                #expect(moved == moved.sorted() && Set(moved).count == moved.count, "seed \(seed)")
                for (old, new) in zip(used, moved) {
                    #expect(all.insert(new.rawValue).inserted, "seed \(seed)")
                    #expect((old >= some.edges[place].floor) == (new >= numbers.floor), "seed \(seed)")
                    #expect(new >= Position(rawValue: 1) && new < numbers.behindRows, "seed \(seed)")
                    if old < some.edges[place].purgeFloor, some.edges[place].purgeFloor > 1 {
                        #expect(new < numbers.purgeFloor, "seed \(seed)")
                    }
                }
                // Neighbours stay neighbours, so that effects stay behind their row.
                for (index, old) in used.enumerated().dropFirst() where used[index - 1] + 1 == old {
                    let isSplit = old == some.edges[place].floor || old == some.placed + 1
                    #expect(isSplit || moved[index].rawValue == moved[index - 1].rawValue + 1, "seed \(seed)")
                }
            }
            let last = all.max() ?? 0
            #expect(numbers.behindRows.rawValue - last <= 4 || last == 0, "seed \(seed)")
            let records = some.edges.enumerated().filter { $0.element.lastRecord > 0 }.map { place, edge in
                numbers.behind(
                    Position(PartitionID(rawValue: Int64(place)), number: edge.lastRecord) ?? Position(rawValue: 0))
            }
            #expect(records.allSatisfy { $0 > numbers.behindRows && $0 < numbers.end }, "seed \(seed)")
            #expect(records.max().map { $0.next == numbers.end } ?? true, "seed \(seed)")
        }
    }

    @Test func instancesAreNumberedWithoutGaps() {
        let edges = [4, 3, 9, 3].map { PartitionEdge(floor: 1, end: 1, next: 1, nextInstance: $0) }
        let numbers = MergedNumbers(edges, placed: (0, 2))
        var all: [Int64] = []
        for (place, edge) in edges.enumerated() {
            for number in 3..<max(3, edge.nextInstance) {
                let id = InstanceID(PartitionID(rawValue: Int64(place)), number: number) ?? InstanceID(rawValue: 0)
                all.append(numbers.instance(id).rawValue)
            }
        }
        // A placed number is in one partition only.
        #expect(numbers.instance(InstanceID(PartitionID(rawValue: 2), number: 2) ?? .init(rawValue: 0)).rawValue == 2)
        #expect(all == Array(3...9))
        #expect(numbers.nextInstance.rawValue == 10)
    }

    /// Numbers come from the server. However wrong they are, they end nothing.
    @Test func numbersThatAreTooLargeAreRefused() {
        let edge = PartitionEdge(
            floor: 1 << 47, end: 1 << 48, lastRecord: 1 << 47, next: 1 << 48, nextInstance: 1 << 48,
            purgeFloor: 1 << 48)
        let numbers = MergedNumbers(Array(repeating: edge, count: 64), placed: (1 << 47, 1 << 47))
        #expect(!numbers.areInRange)
        for raw in [0, -1, Int64.min, Int64.max, 1 << 60] {
            _ = numbers.position(Position(rawValue: raw), of: InstanceID(rawValue: raw))
            _ = numbers.instance(InstanceID(rawValue: raw))
            _ = numbers.behind(Position(rawValue: raw))
        }
    }
}
