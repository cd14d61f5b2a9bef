import EngineFloor
import Foundation

/// Events at a fixed rate, each of which begins a task that answers a waiting poll.
struct PollContest: Contest {
    private static let queues = 10
    private static let perSecond = 500.0

    private let daemon: ServerProcess
    private let load: PollLoad
    private let seconds: Double

    init(_ setting: Setting) async throws {
        // The 99th percentile of less than a second says nothing.
        seconds = max(setting.seconds, 1)
        daemon = try await .daemon(in: setting.folder)
        // An instance is asked again after two seconds.
        try daemon.prepareTasks(queues: Self.queues, instances: 2 * Int(Self.perSecond))
        load = try PollLoad(
            socket: daemon.socket, queues: Self.queues, workersOfEach: 4, instances: 2 * Int(Self.perSecond))
        _ = try load.run(perSecond: Self.perSecond, seconds: 0.5)
    }

    func ours() async throws -> Sample {
        let outcome = try load.run(perSecond: Self.perSecond, seconds: seconds)
        return Sample(
            value: outcome.fromEvent.milliseconds(99),
            note: "\(outcome.fromEvent.percentilesText) at \(Int(Self.perSecond)) events/s, "
                + "from the answer of the event \(outcome.fromAnswer.percentilesText)")
    }

    func floor() async throws -> Sample? { nil }

    func end() async throws {
        load.close()
        try daemon.stop()
    }
}

/// Events that are due at fixed times, and workers that wait for the tasks: all in one thread.
final class PollLoad {
    /// The delays until tasks were handed out.
    struct Outcome {
        /// The delays from the due time of the event that begins the task. They include the commits of the event and of
        /// the lease.
        var fromEvent = Latencies()
        /// The delays from the answer to the event, whose commit is then on disk. They include the commit of the lease.
        var fromAnswer = Latencies()
    }

    /// A connection that polls and completes in turn.
    private final class Worker {
        let connection: LoadConnection
        let poll: [UInt8]
        var isCompleting = false

        init(socket: String, queue: Int) throws {
            connection = try LoadConnection(socket: socket)
            poll = HTTPRequestText.post("/v1/tasks/q-\(queue)/lease", #"{"wait":60}"#)
            try wait()
        }

        /// Waits for a task.
        func wait() throws {
            isCompleting = false
            try poll.withUnsafeBytes { try connection.send($0) }
        }

        func complete(_ task: String) throws {
            isCompleting = true
            try HTTPRequestText.post("/v1/tasks/\(task)/complete", TaskPlanner.result)
                .withUnsafeBytes { try connection.send($0) }
        }
    }

    private let senders: [LoadConnection]
    /// The last request of each sender.
    private var sent: [Int]
    private let workers: [Worker]
    private let poller: Poller
    private let timer: EventTimer
    private let events: [[UInt8]]
    /// The next instance.
    private var next = 0
    /// The due time of each instance's event, and the time of its answer; 0 before that.
    private var dueTimes: [UInt64]
    private var answerTimes: [UInt64]

    init(socket: String, queues: Int, workersOfEach: Int, instances: Int) throws {
        senders = try (0..<64).map { _ in try LoadConnection(socket: socket) }
        sent = Array(repeating: 0, count: senders.count)
        workers = try (0..<queues * workersOfEach).map { try Worker(socket: socket, queue: $0 % queues) }
        timer = try EventTimer()
        poller = try Poller(
            senders.map(\.descriptor) + workers.map(\.connection.descriptor) + [timer.descriptor])
        events = (0..<instances).map { HTTPRequestText.post("/v1/instances/i-\($0)/events", #"{"event":"begin"}"#) }
        dueTimes = Array(repeating: 0, count: instances)
        answerTimes = dueTimes
    }

    /// Sends events at a fixed rate for a time, and waits until all of their tasks are completed.
    func run(perSecond rate: Double, seconds: Double) throws -> Outcome {
        var outcome = Outcome()
        let count = Int(rate * seconds)
        let begin = nanoseconds() + 1_000_000
        func due(_ number: Int) -> UInt64 { begin + UInt64(Double(number) * 1e9 / rate) }
        var free = Array(senders.indices)
        var begun = 0
        var completed = 0
        try timer.wake(at: due(0))
        while completed < count || free.count < senders.count {
            let ready = try poller.wait(seconds: 10)
            guard ready > 0 else { throw BenchmarkError("the server did not answer for 10 seconds") }
            for number in 0..<ready {
                let place = poller[number]
                if senders.indices.contains(place) {
                    if try takeAnswer(of: place) { free.append(place) }
                } else if place < senders.count + workers.count {
                    if try take(workers[place - senders.count], into: &outcome) { completed += 1 }
                }
            }
            while begun < count, due(begun) <= nanoseconds(), let sender = free.popLast() {
                try send(by: sender, due: due(begun))
                begun += 1
            }
            // Without a free connection the next answer wakes; setting the timer also takes back that it has fired.
            try timer.wake(at: begun < count && !free.isEmpty ? due(begun) : .max >> 2)
        }
        return outcome
    }

    private func send(by sender: Int, due time: UInt64) throws {
        sent[sender] = next
        dueTimes[next] = time
        answerTimes[next] = 0
        try events[next].withUnsafeBytes { try senders[sender].send($0) }
        next = (next + 1) % events.count
    }

    /// Reads the answer to a sender. Returns true if it is complete.
    private func takeAnswer(of sender: Int) throws -> Bool {
        guard try senders[sender].receive() else { return false }
        answerTimes[sent[sender]] = nanoseconds()
        return true
    }

    /// Handles the answer to a worker. Returns true if a task is completed.
    private func take(_ worker: Worker, into outcome: inout Outcome) throws -> Bool {
        guard try worker.connection.receive(status: worker.isCompleting ? 204 : 200) else { return false }
        let now = nanoseconds()
        let wasCompleting = worker.isCompleting
        let answer = worker.connection.withAnswer { answer in
            (task: LeaseAnswer.tasks(in: answer).first, instance: LeaseAnswer.instances(in: answer).first)
        }
        guard !wasCompleting, let task = answer.task, let instance = answer.instance.flatMap({ Int($0.dropFirst(2)) })
        else {
            try worker.wait()
            return wasCompleting
        }
        outcome.fromEvent.record(now - dueTimes[instance])
        // When both answers are there, which of them is read first is chance.
        outcome.fromAnswer.record(answerTimes[instance] == 0 ? 0 : now - answerTimes[instance])
        try worker.complete(task)
        return false
    }

    /// Closes the connections.
    func close() {
        for connection in senders + workers.map(\.connection) { connection.close() }
        poller.close()
        timer.close()
    }
}
