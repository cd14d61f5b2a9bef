import Foundation
package import Testing

/// Gives the jobs of each test case their own threads: for tests that compute for long, or block.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadForEachJob()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs the test, or each test of the suite, on threads outside Swift's pool.
    package static var ownThreads: OwnThreads { OwnThreads() }
}

/// Starts a thread for each job, so that no job waits for another, whatever they block on.
private final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        thread.name = "test"
        thread.start()
    }
}
