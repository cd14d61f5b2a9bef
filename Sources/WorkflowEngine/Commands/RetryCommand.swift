import Statechart
package import WorkflowStore

/// A failed instance to go on with.
package struct RetryCommand: Sendable {
    package var instance: InstanceName
    /// The seq that the instance must have; nil for any.
    package var expectedSeq: Seq?
    package var caller: Caller

    package init(instance: InstanceName, expectedSeq: Seq? = nil, by caller: Caller) {
        self.instance = instance
        self.expectedSeq = expectedSeq
        self.caller = caller
    }

    var target: InstanceKey { InstanceKey(instance, in: caller.namespace) }
}

extension RetryCommand: WriterCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [.instance(target)] }
    var targets: [CommandTarget] { payers }
    var summary: String { "retry \(instance)" }

    func want(_ rows: inout WantedRows) { rows.instances.insert(target) }

    /// Lets the instance go on with the event that it failed on; when it fails on it again that is recorded.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> SendResult {
        let instance = try batch.existing(target)
        try instance.state.refuse(unless: expectedSeq)
        guard instance.state.record.status == .failed, let kept = instance.state.snapshot.armed.kept else {
            throw .notFailed(instance.state.facts)
        }
        try batch.lookUp(kept, of: instance)
        let input = Input.retried(Taken(kept, at: instance.state.time(at: batch.now)))
        switch instance.state.chain(input, spending: &batch.cost) {
        case .failure: preconditionFailure("what is armed is taken, or the instance fails on it")
        case .success(let chain):
            let answer = SendResult(chain, from: instance.state, isDryRun: false, explanation: nil)
            batch.record(chain, of: instance, by: caller)
            try batch.takeAnswers(of: instance)
            return answer
        }
    }
}

extension Engine {
    /// Lets a failed instance go on with the event that it failed on.
    package func retry(_ command: RetryCommand) async throws(Rejection) -> SendResult {
        try await queue.submit(command)
    }
}
