import Statechart
import WorkflowStore

/// Erases the data of an instance's rows, and parts of its context.
struct RedactVerb: BulkVerb {
    let paths: [String]

    var traits: BulkTraits { BulkTraits(erasure: .redaction) }

    func prepare(
        _ record: InstanceRecord, for order: BulkOrder, in engine: Engine
    ) async throws(Rejection) -> BulkPreparation {
        var command = RedactCommand(
            instance: record.name, paths: paths, reason: order.reason ?? "", isDryRun: order.isDryRun, by: order.caller)
        let found = try await engine.find(record)
        command.found = found
        command.run = order.run
        return .ready(bytes: 8 * found.calls.count) { [command] _, batch throws(Rejection) in
            _ = try command.apply(to: &batch)
            return .done(nil)
        }
    }

    func writes(_ row: JournalRecord) -> Bool { row.kind == .redacted }
}
