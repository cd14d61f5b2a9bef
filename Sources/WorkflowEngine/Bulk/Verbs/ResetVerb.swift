import Statechart
import WorkflowJSON
import WorkflowStore

/// Resets an instance to its state after a seq.
struct ResetVerb: BulkVerb {
    let seq: Seq
    let timers: Reset.Timers
    let invocations: Reset.Invocations?

    init?(_ json: JSONObject) {
        guard let seq = json.number("to") else { return nil }
        self.seq = Seq(rawValue: seq)
        timers = (json["timers"]?.string).flatMap(Reset.Timers.init(rawValue:)) ?? .left
        invocations = (json["invocations"]?.string).flatMap(Reset.Invocations.init(rawValue:))
    }

    var traits: BulkTraits { BulkTraits(undoneKind: .reset, changesVersions: true) }

    func prepare(
        _ record: InstanceRecord, for order: BulkOrder, in engine: Engine
    ) async throws(Rejection) -> BulkPreparation {
        let command = ResetCommand(
            instance: record.name, to: .seq(seq), timers: timers, invocations: invocations, by: order.caller)
        return .reset(command, to: await engine.past(of: record, for: .seq(seq)), for: order)
    }

    func writes(_ row: JournalRecord) -> Bool { row.kind == .reset }
}

extension BulkPreparation {
    /// Returns the preparation for a reset.
    ///
    /// - Parameter past: The past state, or the reason why the history has none.
    static func reset(
        _ command: ResetCommand, to past: Result<FoldedPast, Rejection>, for order: BulkOrder
    ) -> BulkPreparation {
        var command = command
        command.reason = order.reason
        command.isDryRun = order.isDryRun
        command.wantsContext = false
        command.run = order.run
        command.past = past
        return .ready(bytes: (try? past.get())?.size ?? 0) { [command] _, batch throws(Rejection) in
            switch try command.apply(to: &batch) {
            case .first(let result): .done(result)
            case .moved, .repeated: .moved
            }
        }
    }
}
