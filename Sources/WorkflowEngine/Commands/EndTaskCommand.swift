import Statechart
package import WorkflowJSON
import WorkflowStore

/// Carries out a worker's report on a task.
package struct EndTaskCommand: Sendable {
    /// The worker's report.
    package enum Report: Sendable {
        case completed(JSONValue)
        case failed(TaskFailure)
        /// The task continues.
        case alive(progress: JSONValue?)
        /// The worker never got the task: no attempt was made.
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

extension EndTaskCommand: PlacedCommand {
    var size: Int {
        switch report {
        case .completed(let data): 256 + data.size
        case .failed(let failure): 256 + failure.size
        case .alive(let progress): 256 + (progress?.size ?? 0)
        case .returned: 256
        }
    }

    var isLong: Bool { false }
    static var isResult: Bool { true }
    /// The owner, because the name of the instance is unknown before its lookup.
    var payers: [CommandTarget] { [.owner(task.instance)] }
    var targets: [CommandTarget] { payers }
    var place: CommandPlace { .partition(task.effect.partition) }
    var summary: String { "task \(task.effect.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    /// The answer to the worker.
    enum Answer: Sendable {
        /// The report is accepted. The time is the lease's new end; `nil` if the lease has ended.
        case taken(until: Timestamp?)
        /// The lease is lost, for the given reason; the report is kept among the attempts.
        case late(String)
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        guard task.generation == batch.parts.leases.generation else {
            throw .leaseLost("a backup was restored since the task was handed out")
        }
        guard let found = try batch.effect(task.effect) else { return try ended(in: &batch) }
        guard let instance = try batch.instance(of: found), instance.state.record.namespace == caller.namespace else {
            throw .leaseLost("there is no such task")
        }
        // Due timers fire first, because one may end the task.
        batch.fireDue(of: instance)
        if instance.state.nextDue(by: batch.now) != nil { throw .overloaded }
        guard var effect = try batch.effect(task.effect) else { return try ended(in: &batch) }
        guard let lease = TaskLease(effect.lease), TaskToken(effect, lease) == task, effect.state == .leased else {
            if case .completed = report, effect.answerKey == task.place.key { return .taken(until: nil) }
            return try ended(in: &batch, "it ran out, and others may have the task")
        }
        switch report {
        case .completed(let data):
            batch.note(.attempted(queue: effect.queue, .done))
            batch.end(
                effect, with: .init(event: EventName.done + effect.name, data: data, key: task.place.key), of: instance)
        case .failed(let failure): try batch.fail(effect, begun: lease.begun, failure, of: instance)
        case .alive(let progress):
            effect.due = Timestamp(rawValue: batch.now.rawValue + lease.milliseconds)
            if let progress {
                effect.progress = JSONWriter.string(progress)
                batch.change(effect)
            }
            batch.parts.leases.prolong(effect, lease, until: effect.due)
            return .taken(until: effect.due)
        case .returned:
            effect.state = .ready
            effect.attempts -= 1
            effect.lease = nil
            effect.worker = nil
            effect.due = batch.now
            batch.change(effect)
        }
        return .taken(until: nil)
    }

    /// Answers a report on a lease that has ended. A worker that completes its task again, because no answer came,
    /// succeeds.
    private func ended(
        in batch: inout BatchBuilder, _ reason: String = "the task has ended or was cancelled"
    ) throws(Rejection) -> Answer {
        if case .completed = report, try batch.position(of: task.place.key, in: task.place.scope) != nil {
            return .taken(until: nil)
        }
        guard let late, try batch.keepLate(task, late, by: caller) else { throw .leaseLost(reason) }
        return .late(reason)
    }

    /// The error that is kept of a late report; `nil` if the report does not end the attempt.
    private var late: JSONObject? {
        var error: JSONObject = ["type": .string(BatchBuilder.late)]
        switch report {
        case .completed(let data):
            error["message"] = "it was done after its lease was lost"
            if data.size <= Self.keptBytes { error["result"] = data }
        case .failed(let failure):
            error["message"] = .string("it failed after its lease was lost: \(failure.type): \(failure.message)")
        case .alive, .returned: return nil
        }
        return error
    }

    /// The greatest number of bytes of a late result that is kept.
    private static let keptBytes = 16 << 10
}
