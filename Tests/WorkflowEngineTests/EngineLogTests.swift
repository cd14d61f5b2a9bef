import IdentityTesting
import Logging
import Statechart
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the log as the operator reads it, and the events that are not logged.
@Suite struct EngineLogTests {
    private static let job = """
        id: job
        initial: idle
        context: {n: 0, secret: ''}
        states:
          idle:
            on:
              go: {actions: {send: {event: count, data: {by: event.data}}}}
              count: {actions: {assign: {n: "10 / event.data.by[context.secret]"}}}
              keep: {actions: {assign: {secret: event.data}}}
        """

    @Test(.timeLimit(.minutes(20))) func aFailureIsALineWithoutPayload() async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.job, logger: logged.logger)
        try await timed.start("job", "j")
        try await timed.send("keep", "s3cret", to: "j")
        try await timed.send("go", ["s3cret-key": 0], to: "j")
        try await eventually("the failure is told") { !logged.all.isEmpty }
        #expect(
            logged.all == [
                "warning an instance has failed event=count expression=assign n: 10 / event.data.by[context.secret] "
                    + "instance=j line=8 machine=job message=no such key: context.secret in event.data.by seq=4 "
                    + "state=idle type=expression-failed version=1"
            ])
        _ = try await timed.engine.repair(RepairCommand(instance: "j", .retry))
        try await eventually("the next is told") { logged.all.count == 2 }
        #expect(logged.all.last?.contains("seq=5") == true)
        try await timed.stop()
    }

    /// If there are many, the log at the start says that there are more than are counted.
    @Test(.timeLimit(.minutes(20)), arguments: [(10, "2"), (2, "2"), (1, "more than 1")])
    func failedInstancesAreCountedAtAStart(bound: Int, count: String) async throws {
        let logged = LoggedLines()
        var limits = EngineLimits()
        limits.countedFailures = bound
        let timed = try await TimedEngine(Self.job, limits: limits, logger: logged.logger)
        for name in ["j", "k", "l"] {
            try await timed.start("job", name)
            if name != "l" { try await timed.send("go", ["": 0], to: name) }
        }
        try await eventually("the failures are told") { logged.all.count == 2 }
        try await timed.restart(after: 1)
        try await eventually("the start tells them") { logged.all.count == 3 }
        #expect(logged.all.last == "warning failed instances count=\(count) list=wfctl list --status failed")
        try await timed.stop()
    }

    /// There are 603 failures: ten lines a second, and the rest counted.
    @Test(.timeLimit(.minutes(20))) func manyFailuresAreSummed() async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.job, logger: logged.logger)
        for number in 1...603 {
            try await timed.start("job", "j-\(number)")
            try await timed.send("go", ["": 0], to: "j-\(number)")
        }
        try await timed.stop()
        let lines = logged.all
        let failures = lines.count { $0.hasPrefix("warning an instance has failed ") }
        let summed = lines.compactMap { line in
            line.wholeMatch(of: /warning lines were left out lines=(\d+) of=failures of instances of job/).flatMap {
                Int($0.1)
            }
        }
        #expect(failures + summed.reduce(0, +) == 603)
        #expect(!summed.isEmpty && failures < 603)
        #expect(lines.count == failures + summed.count)
    }

    @Test(.timeLimit(.minutes(20))) func aRefusedBatchIsALine() async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.job, logger: logged.logger)
        try await timed.start("job", "j")
        let refused = await timed.rejection { () async throws(Rejection) in
            _ = try await timed.engine.sendTogether([
                SendCommand(instance: "j", event: Event(name: "keep", data: "s3cret")),
                SendCommand(instance: "j", event: Event(name: "nope", data: "s3cret")),
            ])
        }
        #expect(refused == "unknownEvent")
        try await eventually("the batch is told") { !logged.all.isEmpty }
        #expect(
            logged.all == [
                "notice a batch of events was refused, and none of them applied eventNumber=2 events=2 instance=j "
                    + "reason=unknown-event"
            ])
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func debugTellsWhatWasDone() async throws {
        let logged = LoggedLines(.debug)
        let timed = try await TimedEngine(Self.job, logger: logged.logger)
        try await timed.start("job", "j")
        try await timed.send("keep", "s3cret", to: "j")
        _ = await timed.rejection { () async throws(Rejection) in try await timed.send("nope", "s3cret", to: "j") }
        try await timed.stop()
        let lines = logged.all
        #expect(lines.contains("debug wrote event=keep from=idle instance=j kind=event seq=2 to=idle"))
        #expect(lines.contains("debug committed commands=1 fired=0 machines=0 rows=1"))
        #expect(lines.contains("debug refused command=send j nope reason=unknown-event"))
        #expect(!lines.contains { $0.contains("s3cret") })
    }
}

/// A collector of log lines: the level, the message, and the metadata by their names.
final class LoggedLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let level: Logger.Level

    init(_ level: Logger.Level = .info) {
        self.level = level
    }

    /// The lines so far, in their order.
    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = level
        return logger
    }

    private func add(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.source == "WorkflowEngine" else { return }
            let all = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            lines.add("\(event.level) \(event.message)\(all)")
        }
    }
}
