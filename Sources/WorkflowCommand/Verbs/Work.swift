import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowPrograms

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `wfctl work`.
struct Work: Verb {
    static let configuration = CommandConfiguration(
        commandName: "work", abstract: "Run a program for each task of a queue.",
        discussion: """
            $ wfctl work stock --exec ./stock.sh --concurrency 4

            For each task the program gets the input as JSON on standard input, and the variables WFD_INSTANCE, \
            WFD_KEY and WFD_ATTEMPT. Its standard output is the result: JSON, or nothing for null. Exit code 0 means \
            done; 65 is an error that is not tried again. After any other code the task is tried again. Arguments that \
            begin with a dash follow --.

            wfctl keeps the lease alive. If the lease is lost, wfctl ends the program and all processes that it has \
            started. On SIGINT or SIGTERM, wfctl takes no more tasks and waits for the running ones; a second signal \
            ends them. While wfd is unavailable, wfctl waits; with --once it exits with 69.
            """)

    @Argument(help: "The queue's name, such as stock or task:stock.")
    var queue: String

    /// The queue's name without `task:`; `nil` if the queue is not a queue of tasks.
    private var tasks: String? {
        let prefix = "task:"
        guard let name = QueueName.whole(queue), name.hasPrefix(prefix) else { return nil }
        return String(name.dropFirst(prefix.count))
    }

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The program and its arguments; no shell interprets them.", valueName: "program"),
        completion: .file())
    var exec: [String]

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Run at most this many tasks at a time, 1 to 100.", valueName: "n"))
    var concurrency = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Let other workers get a task after this time without a heartbeat of wfctl, 5 to 3600.",
            valueName: "seconds"))
    var lease = APILimits.defaultLeaseSeconds

    @Flag(help: "Exit when no task is available.")
    var once = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("Further arguments of the program.", valueName: "argument"))
    var arguments: [String] = []

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if tasks == nil {
            let isOther = QueueName.whole(queue) != nil
            throw ValidationError(
                isOther
                    ? "'\(queue)' has no workers: wfd carries out its effects itself"
                    : "'\(queue)' is no queue of tasks: write letters, digits, '_', '.' and '-', first a letter or '_'")
        }
        try Self.check("--concurrency", concurrency, in: 1...100)
        try Self.check("--lease", lease, in: APILimits.leaseSeconds)
    }

    func run(in session: Session) async throws {
        let name = exec[0]  // Proof: the parser refuses an option without a value
        guard let path = ProgramStart.path(of: name, in: session.environment.variables) else {
            throw CommandFailure(
                .fileUnreadable, "Cannot run '\(name)': there is no such program, or it may not be run")
        }
        let order = TaskWork.Order(
            queue: tasks ?? queue, path: path, arguments: exec.dropFirst() + arguments, concurrency: concurrency,
            leaseSeconds: lease, isOnce: once, worker: Self.name)
        try await session.withClient { client in try await TaskWork(order, with: client, in: session).run() }
    }

    private static func check(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
        guard !range.contains(value) else { return }
        throw ValidationError("'\(option)' must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }

    /// The worker's name: the machine and the process.
    private static var name: String {
        var host = [CChar](repeating: 0, count: 65)
        let length = gethostname(&host, host.count - 1) == 0 ? host.firstIndex(of: 0) ?? 0 : 0
        let text = String(decoding: host[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(text.isEmpty ? "wfctl" : text):\(getpid())"
    }
}
