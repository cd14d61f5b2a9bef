import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl queue`.
struct SetQueue: Verb {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Limit or pause a queue.",
        discussion: """
            $ wfctl queue stock --concurrency 4 --rate 100/s
            $ wfctl queue http:pay.example.com:443 --pause

            Unspecified settings keep their values. Settings survive restarts, and effects that have begun continue. A \
            queue of tasks is named alone or as task:NAME. A rate is a number and a span: 100/s, 5/10m. wfd refuses a \
            name that no definition and no effect has; --new accepts it.
            """)

    @Argument(help: "The queue's name.")
    var queue: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Run at most this many effects at a time, 1 to 10000; 'default' removes the setting.", valueName: "n"))
    var concurrency: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start at most this many effects in a span; 'default' removes the setting.", valueName: "n/span"))
    var rate: String?

    @Flag(help: "Start no effect of the queue.")
    var pause = false

    @Flag(help: "End the pause.")
    var resume = false

    @Flag(help: "Accept a queue that no definition names and that has no effect.")
    var new = false

    @OptionGroup var global: GlobalOptions

    private static let standard = "default"

    func validate() throws {
        if QueueName.whole(queue) == nil { throw ValidationError("'\(queue)' is no queue: \(QueueName.rule)") }
        if pause, resume { throw ValidationError("'--pause' and '--resume' exclude each other") }
        guard concurrency != nil || rate != nil || pause || resume else {
            throw ValidationError("Nothing to change: give --concurrency, --rate, --pause or --resume")
        }
        _ = try request()
    }

    private func request() throws -> QueueRequest {
        var request = QueueRequest(paused: pause ? true : resume ? false : nil, new: new ? true : nil)
        if concurrency == Self.standard {
            request.concurrency = .standard
        } else if let concurrency {
            guard let count = Int(concurrency), APILimits.queueConcurrency.contains(count) else {
                throw ValidationError("'--concurrency' must be from 1 to 10000, or '\(Self.standard)'")
            }
            request.concurrency = .set(count)
        }
        if rate == Self.standard {
            request.rate = .standard
        } else if let rate {
            guard let read = QueueText.rate(rate) else {
                throw ValidationError(
                    "'--rate' must be a number and a span, as in 100/s or 5/10m, or '\(Self.standard)'")
            }
            request.rate = .set(read)
        }
        return request
    }

    func run(in session: Session) async throws {
        let request = try request()
        let settings = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in try await client.set(queue: queue, request) }
        }
        try session.print(settings) {
            let text = QueueText.of(settings)
            return "\(settings.queue): \(text == "-" ? "nothing is set" : text)\n"
        }
    }
}
