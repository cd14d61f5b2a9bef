import DaemonTesting
import Synchronization
import WorkflowClient
import WorkflowJSON

/// The leased tasks. Every client may report on each of them, as if workers mixed them up.
final class HandedOutTasks: Sendable {
    /// A lease by the number of its request, and the daemon's name of the task.
    struct Lease: Sendable {
        let number: Int
        let task: String
    }

    private struct State {
        var leases: [String: [Lease]] = [:]
        var keys: [String: [Int: Set<String>]] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// Returns the number of another request.
    func next() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    func note(_ lease: Lease, of job: String, round: Int, key: String) {
        state.withLock { state in
            state.leases[job, default: []].append(lease)
            state.keys[job, default: [:]][round, default: []].insert(key)
        }
    }

    /// Returns the last lease of a job, or an earlier one; `nil` if there is none.
    func lease(of job: String, back: Int) -> Lease? {
        state.withLock { $0.leases[job]?.suffix(back + 1).first }
    }

    /// The keys of the tasks of each round, by job.
    var keys: [String: [Int: Set<String>]] { state.withLock { $0.keys } }
}

/// A client of some jobs, and a worker for them. It leases, completes, fails and prolongs its own tasks and those of
/// others, and repeats requests without an answer.
struct JobClient: RecordingClient {
    typealias Model = JobModel

    /// A request of a client.
    private struct Asked {
        let job: String
        let action: JobModel.Action
        var task = ""
    }

    let number: Int
    private let jobs: [String]
    private let tasks: HandedOutTasks
    private let clock: EventClock
    private var random: SeededRandom
    private var unanswered: [Asked] = []
    var history: [String: [Operation<JobModel>]] = [:]

    init(number: Int, jobs: [String], tasks: HandedOutTasks, clock: EventClock, random: SeededRandom) {
        self.number = number
        self.jobs = jobs
        self.tasks = tasks
        self.clock = clock
        self.random = random
    }

    mutating func run(_ address: Address, requests: Int, step: () -> Void) throws {
        // A daemon that is dead already is what this test is about; so is a connection that ends.
        guard let connection = try? RawConnection(to: address) else { return }
        for _ in 0..<requests {
            let asked = next()
            let begin = clock.now()
            guard (try? connection.write(Self.request(asked).bytes)) != nil else {
                return note(asked, from: begin, nil)
            }
            step()
            guard let answer = try? connection.readAnswer() else { return note(asked, from: begin, nil) }
            note(asked, from: begin, try self.answer(to: asked, answer))
            step()
        }
    }

    private mutating func next() -> Asked {
        if let asked = unanswered.popLast() { return asked }
        let job = jobs.randomElement(using: &random) ?? ""
        let draw = Int.random(in: 0..<20, using: &random)
        // The draw is mostly the lease that may hold, and sometimes one that was lost or has ended.
        let back = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...4, using: &random) : 0
        switch (draw, tasks.lease(of: job, back: back)) {
        case (0..<2, _): return Asked(job: job, action: .read)
        case (2..<5, _): return Asked(job: job, action: .send(.begin))
        case (5, _): return Asked(job: job, action: .send(.leave))
        case (6..<11, _), (_, nil): return Asked(job: job, action: .lease(tasks.next()))
        case (11..<15, let lease?): return Asked(job: job, action: .complete(lease.number), task: lease.task)
        case (15..<18, let lease?):
            let canRetry = Int.random(in: 0..<4, using: &random) > 0
            return Asked(job: job, action: .fail(lease.number, canRetry: canRetry), task: lease.task)
        case (_, let lease?):
            let action = JobModel.Action.stayAlive(lease.number, progress: tasks.next())
            return Asked(job: job, action: action, task: lease.task)
        }
    }

    private static func request(_ asked: Asked) -> RawRequest {
        let task = "/v1/tasks/\(asked.task)"
        switch asked.action {
        case .read: return .get("/v1/instances/\(asked.job)")
        case .send(let event): return .post("/v1/instances/\(asked.job)/events", #"{"event": "\#(event.rawValue)"}"#)
        // The lease lasts longer than the test. If nobody ends it, it is lost with its state.
        case .lease: return .post("/v1/tasks/\(asked.job)/lease", #"{"lease": 3600}"#)
        case .complete(let number): return .post(task + "/complete", "\(number)")
        case .fail(let number, let canRetry):
            return .post(
                task + "/fail",
                #"{"message": "m", "details": \#(number), "retry": \#(canRetry), "retryAfter": 0}"#)
        case .stayAlive(_, let progress): return .post(task + "/heartbeat", #"{"progress": \#(progress)}"#)
        }
    }

    private func answer(to asked: Asked, _ answer: RawAnswer) throws -> JobModel.Answer {
        let wrong = TestingError("client \(self.number) was told: \(answer.status) \(answer.text)")
        if answer.status == 204 { return .taken }
        let object = try answer.object
        func state(_ name: String) throws -> JobModel.State {
            guard case .array(let states)? = object[name], let state = states.first?.string.flatMap(JobModel.State.init)
            else { throw wrong }
            return state
        }
        func number(_ value: JSONValue?) -> Int? { if case .int(let number)? = value { Int(number) } else { nil } }
        switch (answer.status, object["type"], asked.action, object["seq"]) {
        case (200, _, .read, .int(let seq)?):
            return .isAt(seq, try state("configuration"), last: number(object["context"]?.object?["last"]))
        case (200, _, .send, .int(let seq)?): return .moved(seq, try state("to"))
        case (_, "event-not-accepted", .send, .int(let seq)?): return .notAccepted(seq, try state("state"))
        case (410, "lease-lost", _, _): return .lost
        case (200, _, .stayAlive, _): return .taken
        case (200, _, .lease(let lease), _):
            guard case .array(let given)? = object["tasks"] else { throw wrong }
            guard let item = given.first?.object else { return .nothing }
            guard given.count == 1, let round = number(item["input"]?.object?["round"]), let key = item["key"]?.string,
                let attempt = number(item["attempt"]), let task = item["task"]?.string
            else { throw wrong }
            tasks.note(HandedOutTasks.Lease(number: lease, task: task), of: asked.job, round: round, key: key)
            return .task(round: round, attempt: attempt, progress: number(item["progress"]))
        default: throw wrong
        }
    }

    private mutating func note(_ asked: Asked, from begin: Int, _ answer: JobModel.Answer?) {
        let end = answer == nil ? nil : clock.now()
        history[asked.job, default: []].append(Operation(action: asked.action, call: begin, end: end, answer: answer))
        guard answer == nil else { return }
        switch asked.action {
        case .complete, .fail, .stayAlive: unanswered.append(asked)
        // A repeated request for tasks gets others. An event without a key is not sent again.
        case .read, .send, .lease: break
        }
    }
}
