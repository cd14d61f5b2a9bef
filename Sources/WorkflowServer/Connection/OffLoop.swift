import Foundation
import WorkflowThreads

/// The executors for requests that must leave their connection's event loop.
enum ExecutorKind {
    /// Runs events and commands, with the usual priority.
    case usual
    /// Runs pages of lists and histories, behind events.
    case reading
    /// Runs work on whole histories, behind events and out of the way of pages.
    case longWork
    /// Runs definitions one after another, behind events.
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

/// Runs a body outside the connection's event loop, for work that computes or blocks for long.
func offLoop<Value, Failure: Error>(
    for kind: ExecutorKind, _ body: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(kind.executor, operation: body)
}
