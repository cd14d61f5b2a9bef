import Logging
import Synchronization
import WorkflowStore

/// Tells the operator about instances and batches in the log: so many lines of each topic a second, then how many were
/// left out. Payloads are in none of them.
final class EngineLog: Sendable {
    /// What lines are counted together.
    enum Topic: CaseIterable {
        case failures, batches, restlessness

        /// What was left out is called.
        fileprivate var lines: String {
            switch self {
            case .failures: "failures of instances"
            case .batches: "batches that were refused or not written"
            case .restlessness: "instances that do not come to rest"
            }
        }
    }

    private let logger: Logger
    private let rates: Mutex<[Topic: LineRate]>
    private let leftOut: AsyncStream<Void>
    private let leavesOut: AsyncStream<Void>.Continuation

    /// - Parameter lines: Of one topic within a second.
    init(_ logger: Logger, lines: Int) {
        self.logger = logger
        rates = Mutex(Dictionary(uniqueKeysWithValues: Topic.allCases.map { ($0, LineRate(lines: lines)) }))
        (leftOut, leavesOut) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether `debug` is wanted.
    var isDetailed: Bool { logger.logLevel <= .debug }

    func debug(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        logger.debug(message, metadata: metadata)
    }

    /// Tells a line, unless there were too many of its topic.
    func tell(_ topic: Topic, _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        let now = ContinuousClock.now
        let (missing, isTold) = rates.withLock { rates in
            let missing = rates[topic]?.takeLeftOut(at: now) ?? 0
            return (missing, rates[topic]?.admits(at: now) ?? true)
        }
        sum(topic, missing)
        if isTold { logger.log(level: level, message, metadata: metadata) } else { leavesOut.yield() }
    }

    /// Tells what was left out when no further line comes; until it is cancelled.
    func run() async {
        for await _ in leftOut {
            // Cancelled with the engine: then it is told at once.
            try? await Task.sleep(for: LineRate.interval)
            for topic in Topic.allCases {
                sum(topic, rates.withLock { $0[topic]?.takeLeftOut(at: .now) ?? 0 })
            }
        }
        for topic in Topic.allCases { sum(topic, rates.withLock { $0[topic]?.takeLeftOut() ?? 0 }) }
    }

    private func sum(_ topic: Topic, _ lines: Int) {
        guard lines > 0 else { return }
        logger.warning("lines were left out", metadata: ["lines": "\(lines)", "of": "\(topic.lines)"])
    }
}
