package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Follows the journal of one instance with the naive interpreter: what the rows lead to, by a second implementation.
package struct NaiveHistory {
    private static let workLimit = 1_000
    private let interpreter: NaiveInterpreter
    private var last: JournalRecord?

    /// Begins before the first row of an instance.
    ///
    /// - Parameter machine: That of all its rows; `version` is its version.
    package init(of instance: InstanceRecord, machine: Machine, version: MachineVersion) throws {
        interpreter = NaiveInterpreter(
            try ModelMachine(reading: machine), workLimit: Self.workLimit,
            as: NaiveInterpreter.Identity(
                name: instance.name.rawValue, version: version.rawValue, startedAt: instance.created.rawValue))
    }

    /// Takes the next row. Gives what does not fit; nil when all does.
    package mutating func follow(_ row: JournalRecord) throws -> String? {
        let data = try row.data.map { try JSONReader.value(from: $0) }
        if let last, row.at < last.at { return "'\(row.event)' is earlier than what was before" }
        defer { last = row }
        if let problem = take(row, data) { return "'\(row.event)' (\(row.kind.rawValue)) \(problem)" }
        if row.to != configuration { return "'\(row.event)' leads to '\(configuration)', not to '\(row.to)'" }
        return nil
    }

    private func take(_ row: JournalRecord, _ data: JSONValue?) -> String? {
        switch row.kind.rawValue {
        case "started":
            guard last == nil else { return "cannot stand here" }
            return problem(interpreter.start(with: data?.object ?? JSONObject()))
        case "event": return problem(interpreter.send(row.event, data: data, at: row.at.rawValue))
        case "result":
            guard let own = interpreter.invocation(endedBy: row.event), interpreter.running, !interpreter.hasFailed
            else {
                return "comes although nothing waits for it"
            }
            let event = NaiveInterpreter.Event(name: row.event, data: data, at: row.at.rawValue)
            return problem(interpreter.take(own, as: event))
        case "sent", "timer", "retried", "failed": return takeOwn(row, data)
        default: return "is of a kind that the naive interpreter does not know"
        }
    }

    private func takeOwn(_ row: JournalRecord, _ data: JSONValue?) -> String? {
        guard let own = interpreter.next, interpreter.running else { return "comes although nothing is pending" }
        guard own.event == row.event, own.data == data else { return "comes instead of \(PendingText(own))" }
        guard row.at.rawValue >= own.due else { return "comes before it is due at \(own.due)" }
        let (hadFailed, kind) = (interpreter.hasFailed, row.kind.rawValue)
        if kind == "sent" || kind == "timer", own.isImmediate != (kind == "sent") {
            return "comes instead of \(PendingText(own))"
        }
        if hadFailed, kind == "sent" || kind == "timer" { return "comes to an instance that has failed" }
        if !hadFailed, kind == "retried" { return "retries what has not failed" }
        // What is retried came in time; that it failed does not make it late.
        let firedAt = hadFailed ? own.due : (row.real ?? row.at).rawValue
        interpreter.hasFailed = false
        let observation = interpreter.take(own, at: row.at.rawValue, firedAt: firedAt)
        if kind == "failed" { return interpreter.hasFailed ? nil : "does not fail" }
        return problem(observation)
    }

    private func problem(_ observation: Observation) -> String? {
        guard case .refused(let reason) = observation else { return nil }
        return "is refused: \(reason.rawValue)"
    }

    private var configuration: String {
        leaves.map(\.path).joined(separator: ",")
    }

    private var leaves: [ModelState] {
        interpreter.machine.states.filter {
            interpreter.isAtomicState($0) && interpreter.configuration.isMember($0)
        }
    }

    /// `running`, `done` or `failed`.
    package var status: String {
        interpreter.hasFailed ? "failed" : interpreter.running ? "running" : "done"
    }

    /// What a stored form has that the rows do not lead to; empty when they lead to it.
    package func differences(from stored: SnapshotText) throws -> [String] {
        var memory = JSONObject()
        for (history, states) in interpreter.historyValue {
            memory[history.path] = .array(
                states.sorted(by: interpreter.documentOrder).map { .string($0.path) })
        }
        let pairs = [
            ("configuration", stored.configuration, configuration),
            ("context", stored.context, interpreter.datamodel.text),
            ("memory", stored.memory, JSONWriter.string(memory)),
            ("output", stored.output ?? "none", interpreter.output.map(JSONWriter.string) ?? "none"),
            (
                "armed", try PendingText.read(stored.armed).map(\.description).joined(separator: "; "),
                interpreter.pending.map { PendingText($0).description }.joined(separator: "; ")
            ),
        ]
        return pairs.filter { $0.1 != $0.2 }.map { "its \($0.0) is \($0.1), and its rows lead to \($0.2)" }
    }
}
