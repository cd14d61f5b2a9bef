import Foundation
import WorkflowThreads

/// Where requests are carried out that must leave their connection's event loop.
enum ExecutorKind {
    /// As soon as others: what events and commands need.
    case usual
    /// Behind events: pages of lists and histories.
    case reading
    /// Behind events too, and not in the way of pages: what goes through whole histories.
    case longWork
    /// Behind events too: definitions, one after another.
    case compiling

    fileprivate var executor: any TaskExecutor {
        switch self {
        case .usual: globalConcurrentExecutor
        case .reading: Self.readers
        case .longWork: Self.longWorkers
        case .compiling: BackgroundThreads.compiling
        }
    }

    private static let cores = ProcessInfo.processInfo.activeProcessorCount
    private static let readers = BackgroundThreads("wfd-page", count: max(2, cores))
    private static let longWorkers = BackgroundThreads("wfd-long", count: max(2, cores))
}

/// Leaves the connection's event loop for as long as the body takes: for what computes or blocks for long.
func offLoop<Value, Failure: Error>(
    for kind: ExecutorKind, _ body: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(kind.executor, operation: body)
}
