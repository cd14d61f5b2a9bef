/// Rules for waiting. Tests run on Swift's pool, which has as many threads as there are cores: a test that blocks or
/// spins on one keeps all others from theirs.
enum WaitRules {
    /// The files whose blocking calls run on their own threads, by `requireOwnThread`, `onOwnThread`, `.ownThreads` or
    /// an executor.
    static let support = [
        "Tests/DaemonTesting/ProgramState.swift", "Tests/DaemonTesting/RandomKill.swift",
        "Tests/DiskTesting/DiskHold.swift", "Tests/DiskTesting/PowerDisk.swift", "Tests/EndToEndTests/WorkTests.swift",
        "Tests/PostgresTesting/PostgresServer.swift", "Tests/StoreTesting/Hold.swift",
        "Tests/WorkflowEffectsTests/HostNameTests.swift",
        "Tests/WorkflowEngineTests/MachineDemandTests.swift",
        "Tests/WorkflowServerTests/CallerBoundsTests.swift", "Tests/WorkflowServerTests/UserNamesTests.swift",
        "Tests/WorkflowServerTests/DefinitionQueueTests.swift", "Tests/WorkflowServerTests/StandstillTests.swift",
        "Tests/WorkflowThreadsTests/BackgroundThreadsTests.swift",
        "Tests/WorkflowThreadsTests/SharedCoresTests.swift",
    ]

    private static let calls = [
        ".wait()", ".wait(timeout", ".wait(wallTimeout", ".wait(until", ".wait { ", "waitpid(", "waitid(",
        "waitUntilExit", "pthread_join", "pthread_cond_wait", "pthread_cond_timedwait", "sem_wait", "sched_yield",
        "poll(&", "readDataToEndOfFile", "waitForDataInBackground",
    ]

    /// Finds tests and helpers that block a thread of the pool, or yield in a loop.
    static func blocking(_ file: SourceFile) -> [Finding] {
        guard file.isIn("Tests"), file.path.hasSuffix(".swift"), !support.contains(file.path) else { return [] }
        let calls = file.mentioned(calls)
        if calls.isEmpty, file.mentioned(["Task.yield", ".now <"]).isEmpty { return [] }
        return zip(1..., file.maskedLines).flatMap { number, line in
            calls.filter { line.contains($0) }.map {
                Finding(file.path, line: number, "'\($0)' blocks a thread of Swift's pool: use 'onOwnThread'")
            } + (spins(line) ? [Finding(file.path, line: number, "it spins: use 'eventually'")] : [])
        }
    }

    /// Returns true for a yield that waits. A bounded number of yields mixes tasks in a random test.
    private static func spins(_ line: String) -> Bool {
        if line.contains("Task.yield") { return !line.contains("for _ in ") }
        return line.contains("while ") && line.contains(".now <") && line.hasSuffix("{}")
    }
}
