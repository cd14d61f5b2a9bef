import Testing
import WorkflowEngine
import WorkflowStore

/// Tests the consequences of how batches end, without threads: all endings of one to four batches under way.
@Suite struct PipelineStateTests {
    private static let constraint = StoreError(.constraint, "made to fail")
    private static let unavailable = StoreError(.unavailable, "made to fail")
    private static let unknown = StoreError(.outcomeUnknown, "made to fail")

    /// The possible endings of the first batch that is not written.
    private static let failures: [BatchEnding] = [
        .failed(constraint), .failed(unavailable), .failed(unknown), .last(unknown),
    ]

    /// Several batches under way, numbered from 0, with their endings.
    struct Case: CustomTestStringConvertible {
        let endings: [BatchEnding]
        /// The batches that have parts.
        let divisible: Set<Int>

        var testDescription: String { "\(endings) divisible: \(divisible.sorted())" }

        /// The first batch that is not written; `nil` if all are.
        var first: Int? {
            endings.firstIndex { if case .committed = $0 { false } else { true } }
        }
    }

    /// Returns every case. Some batches are committed and one is not; each batch after it has failed with it or was not
    /// tried.
    private static func cases(of count: Int) -> [Case] {
        var endings: [[BatchEnding]] = [Array(repeating: .committed, count: count)]
        for first in 0..<count {
            let before = Array(repeating: BatchEnding.committed, count: first)
            for failure in failures {
                for choice in 0..<(1 << (count - first - 1)) {
                    let behind = (0..<(count - first - 1)).map { offset -> BatchEnding in
                        choice >> offset & 1 == 1 ? .failed(unavailable) : .untried
                    }
                    endings.append(before + [failure] + behind)
                }
            }
        }
        return endings.flatMap { endings in
            (0..<(1 << count)).map { choice in
                Case(endings: endings, divisible: Set((0..<count).filter { choice >> $0 & 1 == 1 }))
            }
        }
    }

    @Test(arguments: 1...4) func everyEndingOfEveryBatchIsTakenCareOf(count: Int) throws {
        let cases = Self.cases(of: count)
        #expect(cases.count == [10, 52, 232, 976][count - 1])
        for one in cases { try Self.check(one) }
    }

    private static func check(_ one: Case) throws {
        var state = PipelineState<Int>(bound: 4)
        for number in one.endings.indices {
            #expect(state.hasRoom(isOverlapping: true))
            state.handedOver(number, isDivisible: one.divisible.contains(number))
        }
        let first = one.first ?? one.endings.count
        var recovery: PipelineState<Int>.Recovery?
        for (number, ending) in one.endings.enumerated() {
            #expect(!state.isIdle && Array(state.batches) == Array(number..<one.endings.count))
            switch state.ended(ending) {
            case .adopt(let batch): #expect(batch == number && number < first, "\(one.testDescription)")
            case .awaitNext: #expect(number >= first && number < one.endings.count - 1, "\(one.testDescription)")
            case .recover(let last):
                #expect(number == one.endings.count - 1, "\(one.testDescription)")
                recovery = last
            }
        }
        #expect(state.isIdle && state.hasRoom(isOverlapping: false))
        guard let index = one.first else {
            #expect(recovery == nil, "\(one.testDescription)")
            return
        }
        check(try #require(recovery), of: one, from: index)
    }

    /// Expects that every batch from the first unwritten one on is refused, split or applied again, and none twice.
    private static func check(_ recovery: PipelineState<Int>.Recovery, of one: Case, from first: Int) {
        var refused: [Int] = []
        var again: [Int] = []
        for number in (first + 1)..<max(one.endings.count, first + 1) {
            if case .failed = one.endings[number] { refused.append(number) } else { again.append(number) }
        }
        var split: Int?
        var stop: StoreError.Code?
        switch one.endings[first] {
        case .failed(let error) where error.code == .constraint && one.divisible.contains(first): split = first
        case .failed(let error):
            refused.insert(first, at: 0)
            if error.code == .outcomeUnknown { stop = error.code }
        case .last(let error): stop = error.code
        case .committed, .untried: Issue.record("not a failure: \(one.testDescription)")
        }
        #expect(recovery.refused.map(\.batch) == refused, "\(one.testDescription)")
        #expect(recovery.again == again, "\(one.testDescription)")
        #expect(recovery.split?.batch == split, "\(one.testDescription)")
        #expect(recovery.stop?.code == stop, "\(one.testDescription)")
    }

    @Test(arguments: 1...4) func noMoreBatchesAreUnderWayThanMayBe(bound: Int) {
        var state = PipelineState<Int>(bound: bound)
        #expect(state.hasRoom(isOverlapping: false))
        for number in 0..<bound {
            #expect(state.hasRoom(isOverlapping: true))
            state.handedOver(number, isDivisible: false)
            #expect(!state.hasRoom(isOverlapping: false))
        }
        #expect(!state.hasRoom(isOverlapping: true))
        _ = state.ended(.committed)
        #expect(state.hasRoom(isOverlapping: true))
    }

    @Test func afterARecoveryItGoesOn() throws {
        var state = PipelineState<Int>(bound: 2)
        for number in 1...2 {
            state.handedOver(number, isDivisible: false)
            guard case .recover(let recovery) = state.ended(.failed(Self.unavailable)) else {
                Issue.record("a batch that was not written is recovered from")
                return
            }
            #expect(recovery.refused.map(\.batch) == [number] && recovery.stop == nil)
        }
        state.handedOver(3, isDivisible: true)
        guard case .adopt(3) = state.ended(.committed) else {
            Issue.record("a batch that is on disk is adopted")
            return
        }
    }
}
