import COpenAPI
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowEngine

/// The routes that report health to supervisors and load balancers, and describe the API.
struct HealthRoutes: Sendable {
    let engine: Engine
    let version: String

    func register(on routes: inout RouteHandlers) {
        routes.on(.live, isBrief: true) { _ in Response(Health(status: .live, version: version)) }
        routes.on(.ready, isBrief: true) { _ in try ready() }
        routes.on(.openAPI) { _ in
            Response(WholeAnswer(status: .ok, headers: [.contentType: "application/json"], body: Self.description))
        }
    }

    /// `docs/openapi.json`, copied once: a buffer cannot borrow its bytes.
    private static let description = ByteBuffer(
        bytes: UnsafeRawBufferPointer(start: openapi_bytes(), count: openapi_count()))

    private func ready() throws -> Response {
        switch engine.currentHealth {
        case .ready:
            let board = engine.queueBoard
            return Response(
                Health(
                    status: .ready, version: version, held: board.isKnownAsHeld ? true : nil,
                    holdReason: board.holdReason))
        case .standby: return Response(Health(status: .standby, version: version))
        case .starting: throw Problem(.overloaded, detail: "The daemon is starting")
        case .draining: throw Problem(Rejection.draining)
        case .storageUnavailable(let reason):
            throw Problem(.storageUnavailable, detail: "Nothing can be written: \(reason)")
        case .readOnly(let reason):
            throw Problem(.storageUnavailable, detail: "The daemon only reads: \(reason)")
        case .damaged(let reason):
            // The problem is returned, not thrown: a caller that asks every second must not fill the log, which has the
            // damage already.
            return Response(
                WholeAnswer(problem: Problem(.databaseDamaged, detail: "The daemon only reads: \(reason)")))
        }
    }
}
