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
        batch = trial
        return answers
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
