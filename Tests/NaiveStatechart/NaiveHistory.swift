package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Follows the journal of one instance with the naive interpreter, which is a second implementation of the step.
package struct NaiveHistory {
    private static let workLimit = 1_000
    private let interpreter: NaiveInterpreter
    private var last: JournalRecord?

    /// Begins before the first row of an instance.
    ///
    /// - Parameter machine: The machine of all the rows; `version` is its version.
    package init(of instance: InstanceRecord, machine: Machine, version: MachineVersion) throws {
        interpreter = NaiveInterpreter(
            try ModelMachine(reading: machine), workLimit: Self.workLimit,
            as: NaiveInterpreter.Identity(
                name: instance.name.rawValue, version: version.rawValue, startedAt: instance.created.rawValue))
    }

    /// Follows the next row. Returns the difference from it; `nil` if there is none.
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
        case "failed" where interpreter.hasFailed: return retry(row, data)
        case "failed" where row.note?.contains(#""invoke":{"#) == true:
            guard let own = interpreter.invocation(endedBy: row.event), interpreter.running else {
                return "comes although nothing waits for it"
            }
            _ = interpreter.take(own, as: NaiveInterpreter.Event(name: row.event, data: data, at: row.at.rawValue))
            return interpreter.hasFailed ? nil : "does not fail"
        case "sent", "timer", "failed": return takeOwn(row, data)
        case "retried": return retry(row, data)
        case "skipped":
            guard let kept = interpreter.kept, data == ["event": .string(kept.event)] else {
                return "drops what it has not failed on"
            }
            return repair(.skip, row, data)
        case "suspended": return repair(.suspend, row, data)
        case "resumed": return repair(.resume, row, data)
        case "cancelled": return repair(.cancel(withActions: data?.object?["actions"] != false), row, data)
        case "reset": return reset(row, data)
        case "set":
            var unset: [String] = []
            if case .array(let paths)? = data?.object?["unset"] { unset = paths.compactMap(\.string) }
            return repair(.set(data?.object?["set"]?.object ?? JSONObject(), unset: unset), row, data)
        default: return "is of a kind that the naive interpreter does not know"
        }
    }

    /// Resets the instance. Takes only the request from the row.
    private func reset(_ row: JournalRecord, _ data: JSONValue?) -> String? {
        guard let data = data?.object, case .int(let seq)? = data["to"] else { return "does not say where to" }
        let lost = data["invocations"]?.string.flatMap(NaiveInterpreter.Reset.Lost.init)
        let asked = NaiveInterpreter.Reset(seq: Int(seq), keepsTimes: data["timers"] == "due", lost: lost)
        return interpreter.reset(asked, at: row.at.rawValue).map { problem($0) } ?? "cannot stand here"
    }

    private func repair(_ repair: NaiveInterpreter.Repair, _ row: JournalRecord, _ data: JSONValue?) -> String? {
        guard row.event == repair.name else { return "is named otherwise" }
        guard let observation = interpreter.repair(repair, data: data, at: row.at.rawValue) else {
            return "cannot stand here"
        }
        return problem(observation)
    }

    /// Applies again the event that the instance failed on.
    private func retry(_ row: JournalRecord, _ data: JSONValue?) -> String? {
        guard let kept = interpreter.kept else { return "retries what has not failed" }
        guard kept.event == row.event, kept.data == data else { return "comes instead of '\(kept.event)'" }
        let observation = interpreter.repair(.retry, at: row.at.rawValue)
        if row.kind.rawValue == "failed" { return interpreter.hasFailed ? nil : "does not fail" }
        return observation.flatMap(problem)
    }

    private func takeOwn(_ row: JournalRecord, _ data: JSONValue?) -> String? {
        guard let own = interpreter.next, interpreter.running else { return "comes although nothing is pending" }
        guard own.event == row.event, own.data == data else { return "comes instead of \(PendingText(own))" }
        guard row.at.rawValue >= own.due else { return "comes before it is due at \(own.due)" }
        let kind = row.kind.rawValue
        if kind == "sent" || kind == "timer", own.isImmediate != (kind == "sent") {
            return "comes instead of \(PendingText(own))"
        }
        if interpreter.status != "running" { return "comes to an instance that is \(interpreter.status)" }
        let observation = interpreter.take(own, at: row.at.rawValue, firedAt: (row.real ?? row.at).rawValue)
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

    /// `running`, `done`, `failed`, `suspended` or `cancelled`.
    package var status: String { interpreter.status }

    /// Returns the differences between a stored form and the result of the rows; empty if they agree.
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
