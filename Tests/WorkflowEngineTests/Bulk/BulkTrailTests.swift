import Testing
import WorkflowEngine
import WorkflowStore

/// Tests the trail of a run: each part with its mark and with the position at which it was applied.
@Suite struct BulkTrailTests {
    private static let instances: Int64 = 400

    /// The test covers every stay of every third instance in one version, beside parts of four instances each, ten
    /// positions apart.
    @Test(arguments: [32, 33, 400]) func whoseTurnItWasIsKnownOrTakenAsHad(_ parts: Int64) {
        var trail = BulkTrail()
        let marks = (1...parts).map { BulkMark(machine: 1, number: $0 * Self.instances / parts) }
        for (place, mark) in marks.enumerated() { trail.add(mark, at: Position(rawValue: Int64(10 * place + 10))) }
        #expect(trail.stretches.count <= 32 && trail.stretches.last?.mark == marks.last)
        var unclear = 0
        var count = 0
        for number in stride(from: 1, through: Self.instances + 10, by: 3) {
            let applied = marks.firstIndex { number <= $0.number }.map { Int64(10 * $0 + 10) }
            let begins: [Int64?] = [nil] + (0..<parts).map { 10 * $0 + 5 }
            for begin in begins {
                for end in [begin ?? 1, 10 * parts / 2 + 3, 10 * parts + 10] where end > begin ?? 0 {
                    let stay = BulkStay(
                        machine: MachineID(rawValue: 1), begin: begin.map(Position.init(rawValue:)),
                        end: Position(rawValue: end))
                    let had = applied.map { $0 <= end && begin ?? 0 < $0 } ?? false
                    let told = trail.passed(stay, of: InstanceID(rawValue: number))
                    #expect(told || !had, "instance \(number), from \(begin ?? 0) to \(end)")
                    count += 1
                    if told != had { unclear += 1 }
                }
            }
        }
        #expect(parts <= 32 ? unclear == 0 : unclear < count / 20, "\(unclear) of \(count)")
        // No time of the run is known much less than another.
        #expect(trail.stretches.allSatisfy { $0.last.rawValue - $0.first.rawValue <= 10 * parts / 16 })
        let elsewhere = BulkStay(machine: MachineID(rawValue: 2), begin: nil, end: Position(rawValue: .max))
        #expect(!trail.passed(elsewhere, of: InstanceID(rawValue: 1)))
    }

    /// A run is stopped, all instances migrate to the next version, and the run meets them there.
    @Test(arguments: 1...57) func whoWentOnDuringAStopStillHasItsTurn(_ turns: Int64) {
        var trail = BulkTrail()
        for number in 1...turns {
            trail.add(BulkMark(machine: 1, number: number), at: Position(rawValue: number))
        }
        for number in 1...Int64(60) {
            let stay = BulkStay(
                machine: MachineID(rawValue: 1), begin: nil, end: Position(rawValue: turns + number))
            let had = trail.passed(stay, of: InstanceID(rawValue: number))
            #expect(had == (number <= turns), "instance \(number)")
            let position = turns + 60 + max(1, number - turns)
            trail.add(BulkMark(machine: 2, number: number), at: Position(rawValue: position))
        }
    }
}
