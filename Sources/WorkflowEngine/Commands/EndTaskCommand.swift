import Statechart
package import WorkflowJSON
package import WorkflowStore

/// What a worker says of a task that it has.
package struct EndTaskCommand: Sendable {
    /// What became of the task.
    package enum Report: Sendable {
        case completed(JSONValue)
        case failed(TaskFailure)
        /// It goes on.
        case alive(progress: JSONValue?)
        /// The worker never got it: nothing was tried.
        case returned
    }

    package var task: TaskToken
    package var report: Report
    package var caller: Caller

    package init(task: TaskToken, report: Report, by caller: Caller) {
        self.task = task
        self.report = report
        self.caller = caller
    }
}

/// Why an attempt failed.
package struct TaskFailure: Sendable, Equatable {
    /// The worker's own word, or one of ours.
    package var type: String
    package var message: String
    package var details: JSONValue?
    /// Whether trying again makes sense.
    package var canRetry: Bool
    /// Milliseconds to wait before the next attempt; nil for what the definition says.
    package var retryAfter: Int64?

    package init(
        type: String, message: String, details: JSONValue? = nil, canRetry: Bool = true, retryAfter: Int64? = nil
    ) {
        self.type = type
        self.message = message
        self.details = details
        self.canRetry = canRetry
        self.retryAfter = retryAfter
    }

    /// Nobody spoke of the task within its lease.
    static let leaseExpired = TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time")
}

extension EndTaskCommand: WriterCommand {
    var size: Int {
        switch report {
        case .completed(let data): 256 + data.size
        case .failed(let failure): 256 + failure.message.utf8.count + (failure.details?.size ?? 0)
        case .alive(let progress): 256 + (progress?.size ?? 0)
        case .returned: 256
        }
    }

    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "task \(task.effect.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    /// Gives until when the lease runs on; nil when it has ended.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Timestamp? {
        guard task.generation == batch.leases.generation else {
            throw .leaseLost("a backup was restored since the task was handed out")
        }
        guard let found = try batch.effect(task.effect) else { return try ended(in: batch) }
        guard let instance = try batch.instance(of: found), instance.state.record.namespace == caller.namespace else {
            throw .leaseLost("there is no such task")
        }
        // What is due comes first: it may end the task.
        batch.fireDue(of: instance)
        if instance.state.nextDue(by: batch.now) != nil { throw .overloaded }
        guard var effect = try batch.effect(task.effect) else { return try ended(in: batch) }
        guard let lease = TaskLease(effect.lease), lease.secret == task.secret, effect.state == .leased else {
            if case .completed = report, effect.answerKey == task.place.key { return nil }
            return try ended(in: batch, "it ran out, and others may have the task")
        }
        switch report {
        case .completed(let data):
            batch.end(
                effect, with: .init(event: EventName.done + effect.name, data: data, key: task.place.key), of: instance)
        case .failed(let failure): batch.fail(effect, lease, failure, of: instance)
        case .alive(let progress):
            effect.due = Timestamp(rawValue: batch.now.rawValue + lease.milliseconds)
            if let progress {
                effect.progress = JSONWriter.string(progress)
                batch.change(effect)
            }
            batch.leases.prolong(effect, lease, until: effect.due)
            return effect.due
        case .returned:
            effect.state = .ready
            effect.attempts -= 1
            effect.lease = nil
            effect.worker = nil
            effect.due = batch.now
            batch.change(effect)
        }
        return nil
    }

    /// A lease that is no more: a worker that completes its task again, because no answer came, has done so.
    private func ended(
        in batch: BatchBuilder, _ reason: String = "the task has ended or was cancelled"
    ) throws(Rejection) -> Timestamp? {
        if case .completed = report, try batch.position(of: task.place.key, in: task.place.scope) != nil { return nil }
        throw .leaseLost(reason)
    }
}

extension Engine {
    /// Takes what a worker says of a task; what it changed is on disk when this returns. Gives until when the lease
    /// runs on, nil when it has ended.
    @discardableResult
    package func report(_ command: EndTaskCommand) async throws(Rejection) -> Timestamp? {
        try await queue.submit(command)
    }
}
