import Dispatch
import Synchronization

/// Runs long reads and computations on threads of its own, with lower priority than the threads that carry out events.
/// Jobs may block, but may not wait for another job.
package final class BackgroundThreads: TaskExecutor {
    /// Compiles all definitions of the process, one after another.
    package static let compiling = BackgroundThreads("wfd-compile", count: 1)

    private let jobs = JobQueue()

    /// Starts the threads; they end when the executor is released.
    package init(_ name: String, count: Int, sharing cores: SharedCores = .ofProcess) {
        for number in 1...count {
            startThread(count == 1 ? name : "\(name)-\(number)", turns: .later) { [jobs] in
                while let job = jobs.next() { cores.work(job) }
            }
        }
    }

    deinit {
        jobs.close()
    }

    /// Appends a job to the waiting ones.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Puts a job before the waiting tasks, after the jobs that were put there earlier. The caller bounds the number of
    /// such jobs.
    package func runFirst(_ job: @escaping @Sendable () -> Void) {
        jobs.append(job, isFirst: true)
    }
}

/// The jobs that wait for a thread, first in, first out.
///
/// A task has at most one job in the queue, and the creators of tasks bound them: connections, waiting reads, long
/// work.
///
/// No thread waits inside the lock: a thread that lets others go first would hold the lock while they wait for it.
private final class JobQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The jobs that run before the waiting tasks.
        var first: [Job] = []
        var waiting: [Job] = []

        mutating func removeNext() -> Job? {
            if !first.isEmpty { return first.removeFirst() }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }

        var isClosed = false
    }

    private let state = Mutex(State())
    /// Counts the jobs for which no thread has been woken.
    private let jobs = DispatchSemaphore(value: 0)

    func append(_ job: @escaping Job, isFirst: Bool = false) {
        state.withLock { state in
            if isFirst { state.first.append(job) } else { state.waiting.append(job) }
        }
        jobs.signal()
    }

    /// Returns the next job; blocks until there is one. Returns `nil` if the queue is closed and drained.
    func next() -> Job? {
        while true {
            jobs.wait()
            let (job, isClosed) = state.withLock { state in
                (state.removeNext(), state.isClosed)
            }
            if let job { return job }
            if isClosed { break }
        }
        // Wakes the next thread.
        jobs.signal()
        return nil
    }

    func close() {
        state.withLock { $0.isClosed = true }
        jobs.signal()
    }
}
