import Foundation
import JSON
import Statechart
import Testing

/// The vectors of a folder beside the project, or of the one that `CONFORMANCE` names. Nobody here wrote them.
@Suite struct StatechartConformanceTests {
    @Test(.timeLimit(.minutes(2))) func everyStatechartVectorPasses() throws {
        guard let files = try ConformanceFolder.files(in: "statechart") else {
            print("statechart: skipped, there are no vectors")
            return
        }
        var failures: [String] = []
        for file in files {
            let vector = try StatechartVector(file: file)
            if let reason = VirtualRun.failure(of: vector) { failures.append("\(vector.name): \(reason)") }
        }
        print("statechart: \(files.count - failures.count) passed, \(failures.count) failed")
        for failure in failures { print("  failed: \(failure)") }
        #expect(failures == [])
    }
}

/// One vector on a virtual clock.
private struct VirtualRun {
    let machine: Machine
    let identity = InstanceIdentity(name: "vector", version: 1, startedAt: .zero)
    var snapshot: Snapshot
    var now = LogicalTime.zero

    /// Why a vector does not pass; nil when it does.
    static func failure(of vector: StatechartVector) -> String? {
        do {
            let machine = try DefinitionReader.read(vector.definition, syntax: .json).machine
            var run = VirtualRun(
                machine: machine,
                snapshot: Snapshot(status: .running, configuration: [], context: machine.context, memory: []))
            try run.play(vector)
            return nil
        } catch let error as DefinitionError {
            return "\(error.diagnostics[0])"
        } catch {
            return "\(error)"
        }
    }

    private mutating func play(_ vector: StatechartVector) throws {
        let start = Event(name: "init", at: now)
        try take(start, machine.start(as: identity))
        guard let initial = vector.initialConfiguration else {
            for _ in 0..<1_000 where snapshot.nextTimer != nil && snapshot.status == .running { try fireNext() }
            let leaves = machine.leafIDs(of: snapshot)
            guard leaves == ["pass"], snapshot.status == .done else {
                throw VectorError(description: "ends in \(leaves)")
            }
            return
        }
        try expect(initial, after: "the start")
        for line in vector.script {
            let until = LogicalTime(milliseconds: now.milliseconds + line.delay)
            while let next = snapshot.nextTimer, next.due <= until, snapshot.status == .running { try fireNext() }
            now = until
            let event = Event(name: line.event, data: line.data, at: now)
            try take(event, machine.step(snapshot, event, as: identity))
            try expect(line.configuration, after: "'\(line.event)'")
        }
    }

    private mutating func fireNext() throws {
        guard let timer = snapshot.nextTimer else { return }
        now = max(now, timer.due)
        let event = machine.event(of: timer)
        try take(event, machine.step(snapshot, event, as: identity))
    }

    private mutating func take(_ event: Event, _ outcome: Outcome) throws {
        guard case .accepted(let macrostep) = outcome else {
            throw VectorError(description: "'\(event.name)' is refused: \(outcome)")
        }
        snapshot = machine.chain(event, macrostep, as: identity).snapshot
    }

    private func expect(_ configuration: Set<String>, after what: String) throws {
        let leaves = machine.leafIDs(of: snapshot)
        guard leaves == configuration else {
            throw VectorError(description: "\(what) leads to \(leaves.sorted()), not to \(configuration.sorted())")
        }
    }
}

extension Machine {
    /// The ids of the active leaves.
    fileprivate func leafIDs(of snapshot: Snapshot) -> Set<String> {
        Set(snapshot.configuration.map { self[$0] }.filter(\.isLeaf).map(\.id))
    }
}
