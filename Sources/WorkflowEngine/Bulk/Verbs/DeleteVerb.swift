import WorkflowStore

/// Deletes an instance that has finished.
struct DeleteVerb: BulkVerb {
    let cancelsEffects: Bool

    var traits: BulkTraits { BulkTraits(erasure: .deletion) }

    func prepare(
        _ record: InstanceRecord, for order: BulkOrder, in engine: Engine
    ) async throws(Rejection) -> BulkPreparation {
        var command = DeleteCommand(
            instance: record.name, cancelsEffects: cancelsEffects, reason: order.reason, isDryRun: order.isDryRun,
            by: order.caller)
        command.look = try await engine.look(at: record)
        return .ready(bytes: command.size) { [command] _, batch throws(Rejection) in
            try command.apply(to: &batch) == nil ? .moved : .done(nil)
        }
    }

    func writes(_ row: JournalRecord) -> Bool { false }
}
