import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

/// An instance as it was after a macrostep, and the macrostep that led there. It is a class, which needs no code to
/// copy its fields.
final class Moment: Sendable {
    /// The instance after the macrostep, with the version that it had; without its context if that was erased.
    let instance: Instance
    /// True if a redaction erased the context.
    let isErased: Bool
    /// The row of the macrostep.
    let row: HistoryItem
    /// The seq of the last macrostep until now.
    let newest: Int64
    /// The context before the macrostep; `nil` before the first one, and if it is not known.
    let before: JSONObject?
    /// The microsteps; `nil` if they are not known.
    let microsteps: [ReplayMicrostep]?
    /// The reason why the macrostep was not replayed.
    let problem: Problem?

    /// Reads a moment of an instance.
    ///
    /// - Throws: The API's problem, such as `seqNotFound`.
    init(of now: Instance, after seq: Int64, _ client: WorkflowClient) async throws(ClientError) {
        let past = try await Self.instance(now.instance, after: seq, client)
        let rows = try await client.history(
            ofInstance: now.instance, HistoryParameters(limit: 1, after: seq - 1))
        guard let row = rows.items.first else {
            throw .problem(Problem(.seqNotFound, detail: "Instance '\(now.instance)' has no seq \(seq)"))
        }
        let (steps, problem) = await Self.steps(of: now.instance, through: seq, client)
        let step = steps.last { $0.seq == seq }
        (isErased, self.row, newest) = (past == nil, row, now.seq)
        before = steps.first { $0.seq == seq - 1 && $0.redacted != true }?.context
        microsteps = step?.redacted == true ? nil : step?.microsteps
        self.problem = problem
        instance = past ?? Self.erased(now, at: row, step)
    }

    /// Returns the instance after a seq; `nil` if its context was erased.
    private static func instance(
        _ name: String, after seq: Int64, _ client: WorkflowClient
    ) async throws(ClientError) -> Instance? {
        do throws(ClientError) {
            return try await client.instance(name, seq: seq)
        } catch {
            if error.problem?.type == .redacted { return nil }
            throw error
        }
    }

    /// Replays the macrostep and the one before it.
    private static func steps(
        of name: String, through seq: Int64, _ client: WorkflowClient
    ) async -> ([ReplayStep], Problem?) {
        var steps: [ReplayStep] = []
        do {
            let parameters = ReplayParameters(from: max(1, seq - 1), to: seq, trace: true)
            for try await step in try await client.replay(name, parameters) { steps.append(step) }
        } catch {
            let problem = (error as? ClientError)?.asProblem
            return (steps, problem ?? Problem(.internalError, detail: "The step cannot be replayed"))
        }
        return (steps, nil)
    }

    /// Returns what is known of an instance whose context was erased.
    private static func erased(_ now: Instance, at row: HistoryItem, _ step: ReplayStep?) -> Instance {
        Instance(
            instance: now.instance, machine: now.machine, version: step?.version ?? now.version,
            status: step?.status ?? now.status, configuration: row.to, context: JSONObject(), redacted: true,
            seq: row.seq, createdAt: now.createdAt, updatedAt: row.at)
    }
}
