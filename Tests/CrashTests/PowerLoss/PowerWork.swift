import DaemonTesting
import IdentityTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A leased task.
struct GivenTask: Sendable {
    let task: LeasedTask
    /// The marker in the data of the task's result.
    let marker: Marker

    /// The number of the effect's row, which is the beginning of the task's name.
    var effect: Int64 { Int64(task.token.text.prefix(16), radix: 16) ?? 0 }
}

/// A worker's request to an engine whose disk may lose its power at any moment.
enum PowerWork: Sendable {
    case lease(Int64)
    case complete(GivenTask)
    case fail(GivenTask)
    case stayAlive(GivenTask)

    /// The error type of a task that a worker failed.
    static let broken = "broken"

    /// Draws the next request; `nil` for an event that begins or leaves a task.
    static func next(_ given: [GivenTask], using random: inout SeededRandom) -> PowerLoad.Command? {
        let draw = Int.random(in: 0..<16, using: &random)
        if draw < 4 { return nil }
        // The draw is mostly a task that was handed out last, and sometimes one that was lost or has ended.
        guard draw >= 8, let task = given.suffix(6).randomElement(using: &random) else {
            return PowerLoad.Command(instance: "", work: .lease(Int64.random(in: 5_000...120_000, using: &random)))
        }
        switch draw {
        case 8..<13: return complete(task).command
        case 13..<15: return fail(task).command
        default: return stayAlive(task).command
        }
    }

    var command: PowerLoad.Command {
        switch self {
        case .lease: PowerLoad.Command(instance: "", work: self)
        case .complete(let given), .fail(let given), .stayAlive(let given):
            PowerLoad.Command(
                instance: given.task.instance.rawValue, marker: isCompletion ? given.marker : nil, work: self)
        }
    }

    var isCompletion: Bool {
        if case .complete = self { true } else { false }
    }

    /// Carries out the request. Returns the leased tasks.
    func give(to engine: Engine) async throws(Rejection) -> [LeasedTask] {
        switch self {
        case .lease(let milliseconds):
            return try await engine.lease(
                LeaseTasksCommand(queue: "jobs", max: 2, milliseconds: milliseconds, worker: "w", by: .test),
                wait: .zero)
        case .complete(let given):
            let data: JSONValue = ["client": .int(given.marker.client), "number": .int(given.marker.number)]
            try await engine.report(EndTaskCommand(task: given.task.token, report: .completed(data), by: .test))
        case .fail(let given):
            let failure = TaskFailure(type: Self.broken, message: "m")
            try await engine.report(EndTaskCommand(task: given.task.token, report: .failed(failure), by: .test))
        case .stayAlive(let given):
            try await engine.report(EndTaskCommand(task: given.task.token, report: .alive(progress: 1), by: .test))
        }
        return []
    }
}
