import Dispatch
import SQLiteStore

/// A program that measures.
package enum MeasuringProgram {
    /// Runs the program's body, and returns at its end. `main` calls it and is synchronous: an asynchronous one ends
    /// the main thread, at which valgrind 3.19 crashes.
    package static func run(_ body: @escaping @Sendable () async -> Void) {
        // The floors have it too.
        SQLiteMemory.stopCounting()
        let ended = DispatchSemaphore(value: 0)
        // Awaited below; a command that fails ends the process itself. Not on the main actor, whose thread waits.
        Task.detached {
            await body()
            ended.signal()
        }
        ended.wait()
    }
}
