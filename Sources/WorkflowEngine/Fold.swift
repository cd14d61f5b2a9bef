import JSON
package import Statechart
package import WorkflowStore

/// Goes through an instance's history again: each row is given to the step, and must lead where the row says.
package struct Fold: Sendable {
    /// The instance after the last row; nil before the first.
    package private(set) var snapshot: Snapshot?

    /// Begins before the first row of an instance.
    package init() {}

    /// Begins after the macrostep of a stored snapshot.
    package init(after stored: SnapshotRecord, machine: Machine) throws(FoldError) {
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(of: stored.state, status: Snapshot.Status(stored.status))
        } catch {
            throw FoldError(seq: stored.seq, message: error.message)
        }
    }

    /// Takes the next row; throws where the step says something else than the row.
    package mutating func apply(_ row: JournalRecord, machine: Machine) throws(FoldError) -> Macrostep {
        let data = try data(of: row)
        let outcome: Outcome
        switch (row.kind, snapshot) {
        case (.started, nil):
            outcome = machine.start(with: data?.object ?? JSONObject())
        case (.event, let before?):
            outcome = machine.step(before, Event(name: row.event, data: data))
        default:
            throw FoldError(seq: row.seq, message: "a row of kind '\(row.kind.rawValue)' cannot stand here")
        }
        guard case .accepted(let macrostep) = outcome else {
            throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded, but the machine refuses it")
        }
        let configuration = machine.leafPaths(of: macrostep.snapshot.configuration).joined(separator: ",")
        guard configuration == row.to else {
            throw FoldError(
                seq: row.seq, message: "'\(row.event)' is recorded to lead to '\(row.to)', not to '\(configuration)'")
        }
        snapshot = macrostep.snapshot
        return macrostep
    }

    private func data(of row: JournalRecord) throws(FoldError) -> JSONValue? {
        guard let text = row.data else { return nil }
        do throws(JSONError) {
            return try JSONReader.value(from: text)
        } catch {
            throw FoldError(seq: row.seq, message: "its data is not JSON: \(error)")
        }
    }
}

/// Where history and machine part.
package struct FoldError: Error, CustomStringConvertible {
    package let seq: Seq
    package let message: String
    package var description: String { "seq \(seq.rawValue): \(message)" }
}
