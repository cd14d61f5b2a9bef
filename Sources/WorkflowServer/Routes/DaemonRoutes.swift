import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The route about the daemons of a store.
struct DaemonRoutes: Sendable {
    let engine: Engine
    /// The daemons; `nil` for a store that one daemon alone can serve.
    let directory: (any RequestDirectory)?
    let version: String

    func register(on routes: inout RouteHandlers) {
        routes.on(.listDaemons, isBrief: true) { _ in Response(Page(items: directory?.daemons ?? [only])) }
    }

    private var only: DaemonItem {
        let count = Int64(engine.store.partitions.count)
        return DaemonItem(
            daemon: "this", partitions: count, allPartitions: count, version: version, isAnswering: true)
    }
}
