import WorkflowAPI
import WorkflowClient
import WorkflowJSON
import WorkflowPrograms

/// One attempt at a task: the program, the heartbeats meanwhile, and the report of its outcome.
struct TaskRun: Sendable {
    /// The end of the program, or another reason to end the work.
    private enum Ending {
        case program(ProgramRun.Outcome)
        /// The lease is lost, for a reason.
        case leaseLost(String)
        case told
        case nothing
    }

    private let task: TaskItem
    private let work: TaskWork

    init(_ task: TaskItem, of work: TaskWork) {
        self.task = task
        self.work = work
    }

    /// Returns when the daemon knows the outcome, or when the outcome is no longer useful.
    func run() async {
        let start = work.session.environment.uptime()
        let started = await ProgramStart.aside { [work, task, variables] in
            Result { () throws(ProgramFailure) in
                try ProgramRun(
                    work.order.path, work.order.arguments, variables: variables,
                    input: JSONWriter.bytes(task.input) + [UInt8(ascii: "\n")])
            }
        }
        let program: ProgramRun
        do throws(ProgramFailure) {
            program = try started.get()
        } catch {
            return await report(.failed(FailRequest(type: "exit", message: error.message)), since: start)
        }
        let (outcome, loss) = await ended(program)
        if let loss { return tellLost(since: start, loss) }
        await report(TaskReport(outcome), since: start)
    }

    private var variables: [String: String] {
        work.session.environment.variables.merging([
            "WFD_INSTANCE": task.instance, "WFD_KEY": task.key, "WFD_ATTEMPT": String(task.attempt),
        ]) { _, new in new }
    }

    /// Waits for the end of the program, and ends the program when it is no longer useful.
    private func ended(_ program: ProgramRun) async -> (outcome: ProgramRun.Outcome, loss: String?) {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask { [errors = work.session.environment.errors] in
                .program(
                    await program.outcome(keeping: APILimits.bodyBytes) { bytes in
                        // The program continues even if nobody reads its error output.
                        try? errors.write(bytes)
                    })
            }
            group.addTask { await heartbeats() }
            group.addTask {
                await work.stops.reached(2)
                return Task.isCancelled ? .nothing : .told
            }
            var loss: String?
            while let ending = await group.next() {
                switch ending {
                case .program(let outcome):
                    group.cancelAll()
                    return (outcome, loss)
                case .leaseLost(let why):
                    loss = why
                    program.terminate()
                case .told: program.terminate()
                case .nothing: break
                }
            }
            // Proof: the first task of the group gives an outcome however the program ends.
            preconditionFailure("one of the group waits for the program")
        }
    }

    /// Sends three heartbeats in each lease to the daemon, until the lease is lost or the task is cancelled.
    private func heartbeats() async -> Ending {
        while !Task.isCancelled {
            // The sleep is cancelled when the program has ended.
            try? await Task.sleep(for: .seconds(work.order.leaseSeconds) / 3)
            if Task.isCancelled { break }
            do throws(ClientError) {
                _ = try await work.patience.ask(untilStops: .max) { () throws(ClientError) in
                    try await work.client.prolong(task: task.task)
                }
            } catch {
                if error.problem?.type == .leaseLost { return .leaseLost(Self.lost) }
                // Nothing prolongs the lease any more, so others will get the task.
                if error.isRefusal { return .leaseLost(error.description) }
            }
        }
        return .nothing
    }

    private func report(_ report: TaskReport, since start: Duration) async {
        do throws(ClientError) {
            try await say(report)
            tell(report.summary, since: start)
        } catch {
            if error.problem?.type == .leaseLost {
                tellLost(since: start, Self.lost)
            } else if case .completed = report, error.problem != nil, !error.isRefusal {
                await self.report(.failed(FailRequest(type: "invalid-output", message: error.brief)), since: start)
            } else {
                tell("\(report.summary), but wfd does not know: \(error.description)", since: start)
            }
        }
    }

    private func say(_ report: TaskReport) async throws(ClientError) {
        try await work.patience.ask(untilStops: 2) { () throws(ClientError) in
            switch report {
            case .completed(let result):
                try await work.client.complete(task: task.task, result: JSONWriter.bytes(result))
            case .failed(let failure): try await work.client.fail(task: task.task, failure)
            }
        }
    }

    private func tell(_ what: String, since start: Duration) {
        // The work is done, even if nobody reads the message.
        try? work.session.say("\(task.instance) \(task.id): \(what) in \(seconds(since: start)) s")
    }

    private static let lost = "the task was cancelled, or others have it"

    private func tellLost(since start: Duration, _ why: String) {
        // Ignored, as in the message above.
        try? work.session.say(
            "\(task.instance) \(task.id): the lease was lost after \(seconds(since: start)) s: \(why)")
    }

    private func seconds(since start: Duration) -> String {
        let tenths = Int64((work.session.environment.uptime() - start) / .milliseconds(100))
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension ClientError {
    /// True if the daemon does not let this worker report: its token has ended, or its roles are too small.
    fileprivate var isRefusal: Bool { problem?.type == .unauthenticated || problem?.type == .forbidden }

    /// The description, cut to the size of a worker's message.
    fileprivate var brief: String {
        String(decoding: description.utf8.prefix(APILimits.errorMessageBytes), as: UTF8.self)
    }
}
