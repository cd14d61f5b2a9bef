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
    /// What the machine is told beside these, as `status` of an answer over HTTP.
    package var facts: JSONObject
    /// Whether trying again makes sense.
    package var canRetry: Bool
    /// Milliseconds to wait before the next attempt; nil for what the definition says.
    package var retryAfter: Int64?

    package init(
        type: String, message: String, details: JSONValue? = nil, facts: JSONObject = JSONObject(),
        canRetry: Bool = true, retryAfter: Int64? = nil
    ) {
        self.type = type
        self.message = message
        self.details = details
        self.facts = facts
        self.canRetry = canRetry
        self.retryAfter = retryAfter
    }

    /// Roughly its bytes.
    var size: Int {
        type.utf8.count + message.utf8.count + (details?.size ?? 0) + JSONValue.object(facts).size
    }

    /// As a machine is told, but for the number of attempts.
    var error: JSONObject {
        var error = facts
        error["type"] = .string(type)
        error["message"] = .string(message)
        error["details"] = details
        return error
    }

    /// As it is kept of an attempt: without what is long.
    var note: String {
        var error: JSONObject = ["type": .string(type), "message": .string(message)]
        error["details"] = details
        for fact in facts.members where fact.value.size <= Self.notedBytes { error[fact.key] = fact.value }
        return JSONWriter.string(JSONValue.object(error))
    }

    /// The failure in the words of retry rules.
    var forRules: RetryFailure { RetryFailure(type: type, facts) }

    /// Bytes of a fact that is kept of each attempt.
    private static let notedBytes = 8 << 10

    /// Nobody spoke of the task within its lease.
    static let leaseExpired = TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time")
}

extension AttemptRecord {
    /// The failure in the words of retry rules. A late report counts as an expired lease.
    var forRules: RetryFailure {
        let type = outcome == BatchBuilder.late ? TaskFailure.leaseExpired.type : outcome
        return RetryFailure(type: type, error.flatMap(RecordedFailure.object) ?? JSONObject())
    }
}

extension RetryFailure {
    /// - Parameter facts: `status` of an answer over HTTP among them.
    fileprivate init(type: String, _ facts: JSONObject) {
        if case .int(let status)? = facts["status"] {
            self.init(type: type, status: status)
        } else {
            self.init(type: type)
        }
    }
}

extension EndTaskCommand: WriterCommand {
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
    /// The name of its instance is not known before it is looked up.
    var payers: [CommandTarget] { [.owner(task.instance)] }
    var targets: [CommandTarget] { payers }
    var summary: String { "task \(task.effect.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    /// What a worker is told.
    enum Answer: Sendable {
        /// It is taken; until when the lease runs on, nil when it has ended.
        case taken(until: Timestamp?)
        /// The lease is lost, and why; what came is kept among the attempts.
        case late(String)
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        guard task.generation == batch.leases.generation else {
            throw .leaseLost("a backup was restored since the task was handed out")
        }
        guard let found = try batch.effect(task.effect) else { return try ended(in: &batch) }
        guard let instance = try batch.instance(of: found), instance.state.record.namespace == caller.namespace else {
            throw .leaseLost("there is no such task")
        }
        // What is due comes first: it may end the task.
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
            batch.leases.prolong(effect, lease, until: effect.due)
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

    /// A lease that is no more: a worker that completes its task again, because no answer came, has done so.
    private func ended(
        in batch: inout BatchBuilder, _ reason: String = "the task has ended or was cancelled"
    ) throws(Rejection) -> Answer {
        if case .completed = report, try batch.position(of: task.place.key, in: task.place.scope) != nil {
            return .taken(until: nil)
        }
        guard let late, try batch.keepLate(task, late, by: caller) else { throw .leaseLost(reason) }
        return .late(reason)
    }

    /// What is kept of a report that comes too late; nil when it says nothing of an end.
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

    /// Of a result that nobody takes.
    private static let keptBytes = 16 << 10
}

extension Engine {
    /// Takes what a worker says of a task; what it changed is on disk when this returns. Gives until when the lease
    /// runs on, nil when it has ended.
    @discardableResult
    package func report(_ command: EndTaskCommand) async throws(Rejection) -> Timestamp? {
        try Self.told(try await queue.submit(command))
    }

    /// Takes what workers say of several tasks, in their order; the answers come in the same order.
    package func report(_ commands: [EndTaskCommand]) async -> [Result<Timestamp?, Rejection>] {
        let answers: [Result<EndTaskCommand.Answer, Rejection>?] = await withCheckedContinuation { caller in
            do throws(Rejection) {
                try queue.begin(commands, in: nil) { caller.resume(returning: $0) }
            } catch {
                caller.resume(returning: commands.map { _ in .failure(error) })
            }
        }
        return answers.map { answer in
            // Proof: the queue gives an answer for each command that it took.
            guard let answer else { preconditionFailure("every command is answered") }
            do throws(Rejection) {
                return .success(try Self.told(try answer.get()))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func told(_ answer: EndTaskCommand.Answer) throws(Rejection) -> Timestamp? {
        switch answer {
        case .taken(let until): return until
        case .late(let reason): throw .leaseLost(reason)
        }
    }
}
