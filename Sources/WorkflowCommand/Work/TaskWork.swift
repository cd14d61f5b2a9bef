import Synchronization
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Runs a program for the tasks of a queue.
struct TaskWork: Sendable {
    /// The queue, the program and their options.
    struct Order: Sendable {
        var queue: String
        /// The path of the program's file.
        var path: String
        var arguments: [String]
        /// The number of concurrent tasks.
        var concurrency: Int
        var leaseSeconds: Int
        /// True if the work ends when no task is there.
        var isOnce: Bool
        /// The name of the worker for the daemon.
        var worker: String
    }

    let order: Order
    let client: WorkflowClient
    let session: Session
    let stops: StopCount
    private let places: WorkPlaces
    let patience: DaemonPatience

    init(_ order: Order, with client: WorkflowClient, in session: Session) {
        self.order = order
        self.client = client
        self.session = session
        stops = StopCount()
        places = WorkPlaces(order.concurrency)
        // A failed message about the daemon cannot be reported.
        patience = DaemonPatience(stops) { try? session.say($0) }
    }

    /// Works until a stop is requested or no task is there; running tasks end first. Throws errors that a retry cannot
    /// help.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let interruptions = session.environment.interruptions()
            group.addTask {
                for await _ in interruptions {
                    stops.raise()
                    places.wake()
                }
            }
            defer { group.cancelAll() }
            try await takeTasks()
        }
    }

    private func takeTasks() async throws {
        let failure = await withDiscardingTaskGroup(returning: ClientError?.self) { running in
            var changes = places.changes.makeAsyncIterator()
            while stops.count == 0 {
                let free = places.free
                if free == 0 {
                    _ = await changes.next()
                    continue
                }
                do throws(ClientError) {
                    let tasks = try await lease(free)
                    for task in tasks {
                        places.take()
                        running.addTask {
                            await TaskRun(task, of: self).run()
                            places.leave()
                        }
                    }
                    guard tasks.isEmpty, order.isOnce else { continue }
                    // The running tasks may lead to more tasks.
                    if places.free == order.concurrency { return nil }
                    _ = await changes.next()
                } catch {
                    return error
                }
            }
            return nil
        }
        if let failure, stops.count == 0 { throw failure }
    }

    /// Requests tasks and waits for the first; returns none after a request to stop.
    private func lease(_ free: Int) async throws(ClientError) -> [TaskItem] {
        let request = LeaseRequest(
            max: min(free, APILimits.leasedTasks.upperBound),
            wait: order.isOnce ? nil : APILimits.longestWaitSeconds, lease: order.leaseSeconds, worker: order.worker)
        let answer = await withTaskGroup(of: Result<[TaskItem], ClientError>?.self) {
            group -> Result<[TaskItem], ClientError> in
            group.addTask {
                do throws(ClientError) {
                    // A worker that only works off the existing tasks does not wait for an absent daemon.
                    return .success(
                        try await patience.ask(untilStops: order.isOnce ? 0 : 1) { () throws(ClientError) in
                            try await client.lease(queue: order.queue, request)
                        })
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await stops.reached(1)
                return nil
            }
            defer { group.cancelAll() }
            while let ended = await group.next() {
                if let ended { return ended }
                // The daemon may have answered at the same time: then this worker has the tasks.
                group.cancelAll()
            }
            return .success([])
        }
        return try answer.get()
    }
}

/// The places for further concurrent tasks.
final class WorkPlaces: Sendable {
    /// A stream with an element after each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let taken = Atomic(0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    var free: Int { count - taken.load(ordering: .acquiring) }

    func take() { taken.add(1, ordering: .acquiringAndReleasing) }

    func leave() {
        taken.subtract(1, ordering: .acquiringAndReleasing)
        wake()
    }

    /// Wakes a waiting worker without a change of places.
    func wake() { changed.yield() }
}
