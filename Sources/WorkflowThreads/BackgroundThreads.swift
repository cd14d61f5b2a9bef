import Dispatch
import Synchronization

/// Runs tasks on threads of its own, behind those that carry events out: for what reads or computes for long. Jobs may
/// block, but not until another one is done.
package final class BackgroundThreads: TaskExecutor {
    /// Compiles all definitions of the process, one after another.
    package static let compiling = BackgroundThreads("wfd-compile", count: 1)

    private let jobs = JobQueue()

    /// Starts the threads; they end when nobody holds the executor any more.
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

    /// Puts a job behind those that wait.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Puts a job before the tasks that wait, after the jobs that were put there earlier. The caller has to bound the
    /// number of such jobs.
    package func runFirst(_ job: @escaping @Sendable () -> Void) {
        jobs.append(job, isFirst: true)
    }
}

/// What waits for a thread, first in, first out.
///
/// A task has one job in it at most, and whoever makes tasks bounds them: connections, waiting reads, long work.
///
/// No thread waits inside the lock: one that has to let others go first would keep it while they wait for it.
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
    /// Jobs that no thread has been woken for.
    private let jobs = DispatchSemaphore(value: 0)

    func append(_ job: @escaping Job, isFirst: Bool = false) {
        state.withLock { state in
            if isFirst { state.first.append(job) } else { state.waiting.append(job) }
        }
        jobs.signal()
    }

    /// The next job; blocks until there is one. Nil when the queue is closed and drained.
    func next() -> Job? {
        while true {
            jobs.wait()
            let (job, isClosed) = state.withLock { state in
                (state.removeNext(), state.isClosed)
            }
            if let job { return job }
            if isClosed { break }
        }
        // For the next thread.
        jobs.signal()
        return nil
    }

    func close() {
        state.withLock { $0.isClosed = true }
        jobs.signal()
    }
}
