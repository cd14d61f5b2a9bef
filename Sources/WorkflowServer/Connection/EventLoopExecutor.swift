import Foundation
import NIOCore
import Synchronization

/// Runs tasks on the thread of an event loop, so that a request is read, carried out and answered without changing
/// threads.
///
/// Jobs stand in the event loop's own queue, behind everything that was put there before. A write from another thread
/// stands there too, while a write on the event loop is done at once. With a queue of its own, a task that comes back
/// from another thread would overtake its own writes from there.
///
/// Work that computes or blocks for long must leave the event loop (`offLoop`), which serves no other connection
/// meanwhile.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        GatheredCalls.call(on: loop) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The calls that one thread gives to event loops while it answers many requests. Each event loop gets its calls
/// together, and wakes once.
final class GatheredCalls {
    private var calls: [(loop: any EventLoop, calls: [@Sendable () -> Void])] = []

    /// Calls the body, then gives each event loop the calls that the body made for it.
    static func gather(_ body: () -> Void) {
        let gathered = GatheredCalls()
        pthread_setspecific(key, Unmanaged.passUnretained(gathered).toOpaque())
        body()
        pthread_setspecific(key, nil)
        for (loop, calls) in gathered.calls {
            loop.execute { for call in calls { call() } }
        }
    }

    /// Schedules a call on an event loop: soon, or together with everything else that the calling thread gathers.
    static func call(on loop: any EventLoop, _ call: @escaping @Sendable () -> Void) {
        guard let pointer = pthread_getspecific(key) else { return loop.execute(call) }
        Unmanaged<GatheredCalls>.fromOpaque(pointer).takeUnretainedValue().add(call, for: loop)
    }

    private static let key = {
        var key = pthread_key_t()
        // Proof: the key is made once, and no caller can make another.
        guard pthread_key_create(&key, nil) == 0 else { preconditionFailure("a process has 1,024 keys") }
        return key
    }()

    private func add(_ call: @escaping @Sendable () -> Void, for loop: any EventLoop) {
        if let place = calls.firstIndex(where: { $0.loop === loop }) {
            calls[place].calls.append(call)
        } else {
            calls.append((loop, [call]))
        }
    }
}

/// The executors of event loops, created when they are first requested.
final class EventLoopExecutors: Sendable {
    private let known = Mutex<[ObjectIdentifier: EventLoopExecutor]>([:])

    /// Returns the executor of an event loop, which must exist as long as the process.
    func executor(of loop: any EventLoop) -> EventLoopExecutor {
        known.withLock { known in
            if let executor = known[ObjectIdentifier(loop)] { return executor }
            let executor = EventLoopExecutor(loop)
            known[ObjectIdentifier(loop)] = executor
            return executor
        }
    }
}
