import Testing
import WorkflowStore

/// Tests the points where generations of a store diverge.
struct LineageTests {
    private func lineage(_ generation: Int64, _ restorations: (Int64, of: Int64, at: Int64)...) -> Lineage {
        Lineage(
            restorations.map {
                Restoration(
                    generation: $0.0, parent: $0.of, next: Position(rawValue: $0.at), restored: Timestamp(rawValue: 0))
            }, generation: generation)
    }

    private func parting(_ lineage: Lineage, _ other: Int64) -> Int64 { lineage.parting(from: other).rawValue }

    @Test func aRestorePartsAtItsBackup() {
        #expect(parting(lineage(2, (2, of: 1, at: 101)), 1) == 101)
    }

    @Test func aBackupOfTheRestoredStoreIsItsChild() {
        let lineage = lineage(3, (2, of: 1, at: 101), (3, of: 2, at: 201))
        #expect(parting(lineage, 1) == 101)
        #expect(parting(lineage, 2) == 201)
    }

    @Test func theSameBackupRestoredTwiceMakesSiblings() {
        let lineage = lineage(3, (2, of: 1, at: 101), (3, of: 1, at: 101))
        #expect(parting(lineage, 1) == 101)
        #expect(parting(lineage, 2) == 101)
    }

    @Test func aLaterBackupOfTheFirstGenerationHasMoreOfItThanItsSiblingHad() {
        let lineage = lineage(3, (2, of: 1, at: 101), (3, of: 1, at: 501))
        #expect(parting(lineage, 1) == 501)
        #expect(parting(lineage, 2) == 101)
    }

    @Test func cousinsMeetInTheirCommonAncestor() {
        let lineage = lineage(5, (2, of: 1, at: 50), (3, of: 2, at: 80), (4, of: 1, at: 70), (5, of: 4, at: 90))
        #expect(parting(lineage, 3) == 50)
        #expect(parting(lineage, 4) == 90)
        #expect(parting(lineage, 1) == 70)
    }

    @Test func withAnUnknownGenerationNothingIsSurelyShared() {
        #expect(parting(lineage(3, (3, of: 1, at: 501)), 2) == 1)
        #expect(parting(lineage(9, (2, of: 1, at: 101), (9, of: 2, at: 501)), 7) == 1)
        #expect(parting(lineage(1), 2) == 1)
    }
}
