import HTTPTypes
import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The routes that delete instances.
struct DeleteRoutes: Sendable {
    let engine: Engine

    func register(on routes: inout RouteHandlers) {
        routes.on(.deleteInstance) { try await delete($0) }
        routes.on(.purge) { try await purge($0) }
    }

    private func delete(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try DeleteParameters(query: try request.queryItems) }
        let name = try request.instance
        if let confirm = parameters.confirm, confirm != name.rawValue {
            throw Problem(
                .invalidParameter, detail: "Parameter 'confirm' must repeat the name '\(name)', not '\(confirm)'")
        }
        let head = request.head
        let seq = try EventEndpoint.expectedSeq(nil, "seq", ifMatch: head.headerFields[.ifMatch])
        let command = DeleteCommand(
            instance: name, takesUnfinished: parameters.confirm != nil, cancelsEffects: parameters.cancelEffects,
            reason: parameters.reason, expectedSeq: seq.map(Seq.init), isDryRun: parameters.dryRun,
            key: try head.idempotencyKey(), by: request.caller)
        let deletion = try await asking { try await engine.delete(command) }
        var headers = HTTPFields()
        if deletion.isRepeated { headers[.idempotentReplayed] = "true" }
        return Response(DeletedInstance(deletion), headers: headers)
    }

    private func purge(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: WorkflowAPI.PurgeRequest.self)
        let age: Int64
        do throws(DelayError) {
            age = try DelayText.lengthWithUnit(of: body.finishedBefore)
        } catch {
            throw Problem(.invalidRequest, detail: "Field 'finishedBefore': \(error.message)")
        }
        let purge = WorkflowEngine.PurgeRequest(
            machine: body.machine.map(MachineName.init(rawValue:)), age: age, reason: body.reason,
            isDryRun: body.dryRun ?? false, by: request.caller)
        let result = try await asking { try await engine.purge(purge) }
        return Response(
            PurgeAnswer(
                deleted: Int64(result.deleted), rows: result.rows, kept: Int64(result.kept), done: result.isDone,
                pending: result.pending, dryRun: body.dryRun == true ? true : nil))
    }
}

extension DeletedInstance {
    fileprivate init(_ deletion: Deletion) {
        self.init(
            instance: deletion.instance.rawValue, uuid: deletion.uuid.text, machine: deletion.machine?.name.rawValue,
            version: deletion.machine?.version.rawValue, rows: deletion.rows, digest: deletion.digest?.text,
            at: WireTime(milliseconds: deletion.at.rawValue),
            cancelled: deletion.cancelled.isEmpty ? nil : deletion.cancelled, pending: deletion.pending,
            dryRun: deletion.isDryRun ? true : nil)
    }
}
