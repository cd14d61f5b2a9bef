import Foundation
import NIOCore
import Synchronization

/// Runs tasks on the thread of an event loop, so that a request is read, carried out and answered without going from
/// thread to thread.
///
/// Jobs stand in the event loop's own queue, behind everything that was put there before. A write from another thread
/// stands there too, while a write on the event loop is done at once: with a queue of its own, a task that comes back
/// from another thread would overtake what it wrote there.
///
/// Whatever computes or blocks for long must leave it (`offLoop`): meanwhile no other connection of the event loop is
/// served.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let jobs = GatheredJobs.ofThread {
            jobs.add(job, for: self)
        } else {
            run([job])
        }
    }

    fileprivate func run(_ jobs: [UnownedJob]) {
        loop.execute { for job in jobs { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}

/// What one thread enqueues on event loops while it answers many tasks: each event loop gets its jobs together, and
/// wakes once.
final class GatheredJobs {
    private var jobs: [(executor: EventLoopExecutor, jobs: [UnownedJob])] = []

    /// Calls the body; the tasks of event loops that it resumes go on when it has returned.
    static func gather(_ body: () -> Void) {
        let gathered = GatheredJobs()
        pthread_setspecific(key, Unmanaged.passUnretained(gathered).toOpaque())
        body()
        pthread_setspecific(key, nil)
        for (executor, jobs) in gathered.jobs { executor.run(jobs) }
    }

    /// Of the calling thread, while it gathers.
    fileprivate static var ofThread: GatheredJobs? {
        pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private static let key = {
        var key = pthread_key_t()
        guard pthread_key_create(&key, nil) == 0 else { preconditionFailure("a process has 1,024 keys") }
        return key
    }()

    fileprivate func add(_ job: UnownedJob, for executor: EventLoopExecutor) {
        if let place = jobs.firstIndex(where: { $0.executor === executor }) {
            jobs[place].jobs.append(job)
        } else {
            jobs.append((executor, [job]))
        }
    }
}

/// The executors of event loops, made when they are first asked for.
final class EventLoopExecutors: Sendable {
    private let known = Mutex<[ObjectIdentifier: EventLoopExecutor]>([:])

    /// The one of an event loop, which must be there for as long as the process.
    func executor(of loop: any EventLoop) -> EventLoopExecutor {
        known.withLock { known in
            if let executor = known[ObjectIdentifier(loop)] { return executor }
            let executor = EventLoopExecutor(loop)
            known[ObjectIdentifier(loop)] = executor
            return executor
        }
    }
}
