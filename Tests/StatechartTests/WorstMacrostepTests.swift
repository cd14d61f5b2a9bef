import Foundation
import Statechart
import Testing
import WorkflowJSON
import WorstMacrosteps

/// Tests that the budget ends macrosteps that evaluate little and do much. Each prints how long its thread has had a
/// core; `wfbench worst` measures how long other clients wait for them.
@Suite(.serialized) struct WorstMacrostepTests {
    @Test(.timeLimit(.minutes(20)), arguments: WorstMacrostep.all)
    func theBudgetEndsIt(kind: WorstMacrostep) throws {
        let machine = try DefinitionReader.read(kind.definition).machine
        var snapshot: Snapshot?
        if let events = kind.events {
            snapshot = try machine.chain(.start(), from: nil, as: .test).get().snapshot
            for event in events {
                snapshot = try machine.chain(.event(Event(name: event)), from: snapshot, as: .test).get().snapshot
            }
        }
        let input = kind.events == nil ? Input.start() : .event(Event(name: "go"))
        let before = Self.threadTime()
        let outcome = machine.apply(input, to: snapshot, as: .test)
        print("\(kind.name): \(Int((Self.threadTime() - before) * 1_000)) ms")
        switch outcome {
        case .refused(.expressionFailed), .refused(.livelock): break
        default: Issue.record("it is not refused for what it costs: \(String(describing: outcome).prefix(500))")
        }
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension WorstMacrostep: CustomTestStringConvertible {
    package var testDescription: String { name }
}
