import DaemonTesting
import Testing
import ThreadTesting

/// Tests many workers of one daemon that is killed again and again. Their answers must be those of a single job that
/// they use one after another. So each task ends once, and a worker that lost its lease is told so and changes nothing.
@Suite(.tags(.heavy)) struct TaskLinearizabilityTests {
    private static let clients = 16
    private static let jobs = (1...4).map { "job-\($0)" }

    /// Returns a machine for a job, so that each job has its own queue.
    private static func definition(_ name: String) -> String {
        """
        id: \(name)
        initial: working
        context: {round: 0, last: null}
        states:
          working:
            entry: {assign: {round: context.round + 1}}
            invoke:
              task: \(name)
              input: {round: context.round}
              retry: {attempts: unlimited}
              onDone: {target: resting, actions: {assign: {last: event.data}}}
              onError: {target: broken, actions: {assign: {last: event.data.details}}}
            on: {leave: resting}
          resting: {on: {begin: working}}
          broken: {on: {begin: working}}
        """
    }

    @Test(.timeLimit(.minutes(30))) func theAnswersAreThoseOfOneJobUsedByOneAfterAnother() async throws {
        let killed = KilledDaemon()
        print("workers: seed \(killed.seed), \(Self.clients) workers, \(killed.kills) kills")
        var tasks = HandedOutTasks()
        var handedOut = 0
        let count = try await killed.check(Self.start) { file, clock in
            tasks = HandedOutTasks()
            return (0..<Self.clients).map { [tasks] number in
                JobClient(
                    number: number, jobs: Self.jobs, tasks: tasks, clock: clock,
                    random: SeededRandom(seed: killed.seed, file, number))
            }
        } end: { daemon, _ in
            // The key is the same for all attempts at a task, and no other task has it.
            let keys = tasks.keys.values.flatMap(\.values)
            #expect(keys.allSatisfy { $0.count == 1 } && Set(keys.joined()).count == keys.count)
            handedOut += keys.count
            #expect(try await daemon.stop().end == .exited(0))
            let verified = try await Daemon.launch(["verify", daemon.database]).result()
            #expect(verified.end == .exited(0), "\(verified)")
        }
        guard let count else { return }
        print("workers: seed \(killed.seed), \(killed.kills) kills, \(handedOut) tasks, \(count)")
        #expect(handedOut > killed.kills)
    }

    private static func start(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        for job in jobs {
            let applied = try await daemon.answer(to: .post("/v1/machines", definition(job), as: "application/yaml"))
            guard applied.status == 201 else { throw TestingError(applied.text) }
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "\#(job)", "instance": "\#(job)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
        return daemon
    }

    private static func told(
        _ action: JobModel.Action, _ times: ClosedRange<Int>, _ answer: JobModel.Answer?
    ) -> Operation<JobModel> {
        Operation(action: action, call: times.lowerBound, end: times.upperBound, answer: answer)
    }

    private static let first = told(.lease(1), 0...1, .task(round: 1, attempt: 1, progress: nil))

    private static let explained: [(String, [Operation<JobModel>])] = [
        (
            "completed twice by one worker",
            [first, told(.complete(1), 2...3, .taken), told(.complete(1), 4...5, .taken)]
        ),
        (
            "a lease without an answer holds",
            [told(.lease(1), 0...9, nil), told(.lease(2), 10...11, .nothing), told(.complete(2), 12...13, .lost)]
        ),
        (
            "handed out again after a failure",
            [
                first, told(.stayAlive(1, progress: 7), 2...3, .taken), told(.fail(1, canRetry: true), 4...5, .taken),
                told(.lease(2), 6...7, .task(round: 1, attempt: 2, progress: 7)), told(.complete(1), 8...9, .lost),
                told(.complete(2), 10...11, .taken), told(.read, 12...13, .isAt(2, .resting, last: 2)),
            ]
        ),
    ]

    @Test(arguments: explained) func whatAnOrderExplainsIsAccepted(what: String, history: [Operation<JobModel>]) {
        var search = Linearization(history)
        #expect(search.verdict() == .linearizable)
    }

    private static let unexplained: [(String, [Operation<JobModel>])] = [
        ("handed out twice", [first, told(.lease(2), 2...3, .task(round: 1, attempt: 2, progress: nil))]),
        ("an attempt that does not count", [first, told(.fail(1, canRetry: true), 2...3, .taken), first]),
        (
            "completed by who has no lease",
            [first, told(.fail(1, canRetry: true), 2...3, .taken), told(.complete(1), 4...5, .taken)]
        ),
        (
            "a completion that is lost",
            [first, told(.complete(1), 2...3, .taken), told(.read, 4...5, .isAt(1, .working, last: nil))]
        ),
        (
            "a completion that counts twice",
            [
                first, told(.complete(1), 2...3, .taken), told(.complete(1), 4...5, .taken),
                told(.read, 6...7, .isAt(3, .resting, last: 1)),
            ]
        ),
    ]

    @Test(arguments: unexplained) func whatNoOrderExplainsIsFound(what: String, history: [Operation<JobModel>]) {
        var search = Linearization(history)
        guard case .violation = search.verdict() else {
            Issue.record("\(what) was accepted")
            return
        }
    }
}
