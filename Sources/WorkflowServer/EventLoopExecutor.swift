import NIOCore
import Synchronization

/// Runs tasks on the thread of an event loop, so that a request is read, carried out and answered without going from
/// thread to thread.
///
/// Jobs stand in the event loop's own queue, behind everything that was put there before. A write from another thread
/// stands there too, while a write on the event loop is done at once: with a queue of its own, a task that comes back
/// from another thread would overtake what it wrote there.
///
/// Whatever computes or blocks for long must leave it for the global executor (`offLoop`): meanwhile no other
/// connection of the event loop is served.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
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
