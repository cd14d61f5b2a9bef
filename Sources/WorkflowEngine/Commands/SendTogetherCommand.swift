import Statechart
import WorkflowJSON
import WorkflowStore

/// Applies lines in order, all or none.
struct SendTogetherCommand: PlacedCommand {
    let lines: [LineCommand]
    /// The offset of each line among all that are carried out together; `nil` if there are no others.
    var offsets: [Int]?
    /// The partition of all lines.
    var partition = PartitionID.first

    var size: Int { lines.reduce(256) { $0 + $1.size } }
    var isLong: Bool { true }
    var payers: [CommandTarget] { lines.flatMap(\.payers) }
    var targets: [CommandTarget] { lines.flatMap(\.targets) }
    var place: CommandPlace { .partition(partition) }
    var summary: String { "send \(lines.count) events together" }

    func want(_ rows: inout WantedRows) { for command in lines { command.want(&rows) } }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> [KeyedAnswer<SendResult>] {
        do throws(Rejection) {
            return try send(in: &batch)
        } catch {
            if error.wait == nil { batch.note(.refused(lines.count, error)) }
            throw error
        }
    }

    private func send(in batch: inout BatchBuilder) throws(Rejection) -> [KeyedAnswer<SendResult>] {
        // If a line is not accepted, the copy is discarded, with all timers that fired before the line.
        var trial = batch.trial()
        defer { batch.cost = trial.cost }
        var answers: [KeyedAnswer<SendResult>] = []
        for (offset, command) in lines.enumerated() {
            do throws(Rejection) {
                answers.append(try command.apply(to: &trial))
            } catch {
                if error.wait != nil { throw wait(of: lines.dropFirst(offset + 1), in: &trial) ?? error }
                throw error.at(offsets?[offset] ?? offset)
            }
            let limits = batch.parts.limits
            guard trial.cost - batch.cost <= limits.togetherCost, trial.bytes - batch.bytes <= limits.batchBytes else {
                throw .tooMuchTogether("The first \(offset + 1) of \(lines.count) events are too much at once")
            }
        }
        try refuseReuse(answers, in: trial)
        batch = trial
        return answers
    }

    /// Refuses lines whose key was used for another request. The earlier answers are built after the commit, when it is
    /// too late to refuse a line; if nothing is written, it is early enough.
    private func refuseReuse(_ answers: [KeyedAnswer<SendResult>], in trial: borrowing BatchBuilder) throws(Rejection) {
        let isWriting = offsets != nil || answers.contains { if case .first = $0 { true } else { false } }
        guard isWriting else { return }
        for (offset, answer) in answers.enumerated() {
            guard case .repeated(let position) = answer else { continue }
            do throws(Rejection) {
                try lines[offset].refuseReuse(at: position, in: trial)
            } catch {
                throw error.at(offsets?[offset] ?? offset)
            }
        }
    }

    /// Returns the last wait of lines for the machine versions of their instances, which ends when all versions are
    /// compiled.
    private func wait(of lines: ArraySlice<LineCommand>, in trial: inout BatchBuilder) -> Rejection? {
        var last: Rejection?
        for case .instance(let key) in lines.flatMap(\.targets) {
            do throws(Rejection) {
                _ = try trial.instance(key)
            } catch {
                // Other errors are reported when the lines are applied.
                if error.wait != nil { last = error }
            }
        }
        return last
    }
}

extension LineCommand {
    /// Refuses a line whose key was used for another request.
    ///
    /// - Parameter position: The position of the row that has the key.
    fileprivate func refuseReuse(at position: Position, in batch: borrowing BatchBuilder) throws(Rejection) {
        guard let row = try batch.row(at: position) else { throw .purged(key) }
        guard caller.isActor(row.actor) else { throw .keyReused(key?.text ?? "") }
        if row.isRedacted { throw .redacted("What was asked for with key '\(key?.text ?? "")'") }
        let isSame: Bool
        switch self {
        case .send(let send): isSame = send.isRecorded(by: row)
        case .start(let line):
            guard let record = try batch.record(of: row.instanceID), record.status != .purging else {
                throw .purged(key)
            }
            let version =
                line.command.version == nil
                ? nil : try batch.read { () throws(StoreError) in try batch.store.machine(row.machineID)?.version }
            isSame = line.command.isRecorded(by: row, of: record, version: version)
        }
        if !isSame { throw .keyReused(key?.text ?? "") }
    }
}

extension SendCommand {
    /// Returns true if a row is that of this event.
    func isRecorded(by row: JournalRecord) -> Bool {
        row.kind == .event && row.event == event.name && row.data == event.data.map(JSONWriter.string)
    }
}

extension StartCommand {
    /// Returns true if a row is that of this start.
    ///
    /// - Parameters:
    ///   - record: The instance of the row.
    ///   - version: The machine version of the row.
    func isRecorded(by row: JournalRecord, of record: InstanceRecord, version recorded: MachineVersion?) -> Bool {
        row.kind == .started && row.data == Input.start(with: data).event.data.map(JSONWriter.string)
            && record.name == instance ?? InstanceName(rawValue: record.uuid.text)
            && (version == nil || version == recorded)
    }
}
