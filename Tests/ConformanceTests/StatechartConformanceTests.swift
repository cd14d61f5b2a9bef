import Foundation
import Statechart
import Testing
import ThreadTesting
import WorkflowJSON

/// Runs the vectors of the folder beside the project, or of the folder in `CONFORMANCE`. The vectors are not ours.
@Suite(.ownThreads) struct StatechartConformanceTests {
    @Test(
        .timeLimit(.minutes(20)),
        .enabled(ConformanceFolder.absence) { try ConformanceFolder.isDemanded("statechart") })
    func everyStatechartVectorPasses() throws {
        let files = try ConformanceFolder.files(in: "statechart")
        var failures: [String] = []
        for file in files {
            let vector = try StatechartVector(file: file)
            if let reason = VirtualRun.failure(of: vector) { failures.append("\(vector.name): \(reason)") }
        }
        print("statechart: \(files.count - failures.count) passed, \(failures.count) failed")
        for failure in failures { print("  failed: \(failure)") }
        #expect(!files.isEmpty, "\(ConformanceFolder.absence)")
        #expect(failures == [])
    }
}

/// A run of one vector on a virtual clock.
private struct VirtualRun {
    let machine: Machine
    let identity = InstanceIdentity(name: "vector", version: 1, startedAt: .zero)
    var snapshot: Snapshot
    var now = LogicalTime.zero

    /// Returns the reason why a vector fails; `nil` if it passes.
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
        try take(.start(at: now), from: nil)
        guard let initial = vector.initialConfiguration else {
            for _ in 0..<1_000 where snapshot.armed.next != nil && snapshot.status == .running { try fireNext() }
            let leaves = machine.leafIDs(of: snapshot)
            guard leaves == ["pass"], snapshot.status == .done else {
                throw VectorError(description: "ends in \(leaves)")
            }
            return
        }
        try expect(initial, after: "the start")
        for line in vector.script {
            let until = LogicalTime(milliseconds: now.milliseconds + line.delay)
            while let next = snapshot.armed.next, next.due <= until, snapshot.status == .running { try fireNext() }
            now = until
            try take(.event(Event(name: line.event, data: line.data, at: now)), from: snapshot)
            try expect(line.configuration, after: "'\(line.event)'")
        }
    }

    private mutating func fireNext() throws {
        guard let timer = snapshot.armed.next else { return }
        now = max(now, timer.due)
        try take(.coming(timer, at: timer.due), from: snapshot)
    }

    private mutating func take(_ input: Input, from before: Snapshot?) throws {
        switch machine.chain(input, from: before, as: identity) {
        case .success(let chain) where chain.first.refusal == nil: snapshot = chain.snapshot
        case .success(let chain): throw VectorError(description: "'\(input.event.name)' fails: \(chain.first)")
        case .failure(let refusal): throw VectorError(description: "'\(input.event.name)' is refused: \(refusal)")
        }
    }

    private func expect(_ configuration: Set<String>, after what: String) throws {
        let leaves = machine.leafIDs(of: snapshot)
        guard leaves == configuration else {
            throw VectorError(description: "\(what) leads to \(leaves.sorted()), not to \(configuration.sorted())")
        }
    }
}

extension Machine {
    /// Returns the ids of the active leaves.
    fileprivate func leafIDs(of snapshot: Snapshot) -> Set<String> {
        Set(snapshot.configuration.map { self[$0] }.filter(\.isLeaf).map(\.id))
    }
}
