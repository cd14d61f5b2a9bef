import Hummingbird
import WorkflowAPI
import WorkflowEngine

/// `/livez` and `/readyz`, for supervisors and load balancers.
struct HealthRoutes: Sendable {
    let engine: Engine
    let version: String

    func register(on router: Router<some RequestContext>) {
        router.resource(
            "/livez", [(.get, { _, _ in Response(Health(status: .live, version: version)) })], brief: [.get])
        router.resource("/readyz", [(.get, { _, _ in try ready() })], brief: [.get])
    }

    private func ready() throws -> Response {
        switch engine.currentHealth {
        case .ready: return Response(Health(status: .ready, version: version))
        case .starting: throw Problem(.overloaded, detail: "The daemon is starting")
        case .draining: throw Problem(Rejection.draining)
        case .storageUnavailable(let reason):
            throw Problem(.storageUnavailable, detail: "Nothing can be written: \(reason)")
        case .readOnly(let reason):
            throw Problem(.storageUnavailable, detail: "The daemon only reads: \(reason)")
        }
    }
}
