package import Logging
import Synchronization
import WorkflowStore

/// Logs problems for the operator: a limited number of lines of each topic per second, then how many were left out. No
/// line contains payloads.
package final class OperatorLog: Sendable {
    /// A set of lines that are counted together.
    package struct Topic: Hashable, Sendable {
        /// The name of the lines that were left out.
        fileprivate let lines: String

        /// - Parameter lines: The name of the lines that were left out, in the plural.
        package init(_ lines: String) {
            self.lines = lines
        }

        /// Instances of a machine that fail, or are suspended because they do not come to rest.
        static func failures(of machine: MachineName) -> Topic { Topic("failures of instances of \(machine)") }
        /// Batches that were refused or not written.
        package static let batches = Topic("batches that were refused or not written")
        static let effects = Topic("effects that were not written")
        static let attempts = Topic("effects that are held or have failed for good")
        static let queues = Topic("settings of queues")
        static let skips = Topic("instances whose last timer was skipped")
    }

    private let logger: Logger
    private let lines: Int
    private let rates = Mutex<[Topic: LineRate]>([:])
    private let leftOut: AsyncStream<Void>
    private let leavesOut: AsyncStream<Void>.Continuation

    /// - Parameter lines: The greatest number of lines of one topic within a second.
    package init(_ logger: Logger, lines: Int = EngineLimits().logLines) {
        self.logger = logger
        self.lines = lines
        (leftOut, leavesOut) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// True if the log level includes `debug`.
    var isDetailed: Bool { logger.logLevel <= .debug }

    func debug(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        logger.debug(message, metadata: metadata)
    }

    /// Logs at `debug` who asked for something that concerns the whole store.
    func asked(_ what: String, by caller: Caller) {
        guard isDetailed else { return }
        debug("asked", ["command": "\(what)", "actor": "\(caller.actor?.rawValue ?? "")"])
    }

    /// Logs a fault of wfd, always.
    package func fault(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        logger.error(message, metadata: metadata)
    }

    /// Logs a line, unless its topic has too many lines.
    package func tell(_ topic: Topic, _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        let now = ContinuousClock.now
        let (missing, isTold) = rates.withLock { rates in
            var rate = rates[topic] ?? LineRate(lines: lines)
            let missing = rate.takeLeftOut(at: now)
            let isTold = rate.admits(at: now)
            rates[topic] = rate
            return (missing, isTold)
        }
        sum(topic, missing)
        if isTold { logger.log(level: level, message, metadata: metadata) } else { leavesOut.yield() }
    }

    /// Logs the numbers of lines left out when no further line comes, until the task is cancelled.
    func run() async {
        for await _ in leftOut {
            // The engine's cancellation ends the sleep early; then the numbers are logged at once.
            try? await Task.sleep(for: LineRate.interval)
            sumAll { $0.takeLeftOut(at: .now) }
        }
        sumAll { $0.takeLeftOut() }
    }

    private func sumAll(_ take: (inout LineRate) -> Int) {
        let missing = rates.withLock { rates in
            rates.keys.map { ($0, take(&rates[$0, default: LineRate(lines: lines)])) }
        }
        for (topic, lines) in missing { sum(topic, lines) }
    }

    private func sum(_ topic: Topic, _ lines: Int) {
        guard lines > 0 else { return }
        logger.warning("lines were left out", metadata: ["lines": "\(lines)", "of": "\(topic.lines)"])
    }
}
