package import WorkflowStore

/// A failed instance to go on with.
package struct RetryCommand: Sendable {
    package var instance: String
    /// The seq that the instance must have; nil for any.
    package var expectedSeq: Seq?
    package var caller: Caller

    package init(instance: String, expectedSeq: Seq? = nil, by caller: Caller = .nobody) {
        self.instance = instance
        self.expectedSeq = expectedSeq
        self.caller = caller
    }
}

extension RetryCommand: WriterCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [String] { [instance] }
    var names: [String] { payers }
    var summary: String { "retry \(instance)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> SendResult {
        try batch.retry(self)
    }
}

extension Engine {
    /// Lets a failed instance go on with the event that it failed on.
    package func retry(_ command: RetryCommand) async throws(Rejection) -> SendResult {
        try await queue.submit(command)
    }
}
