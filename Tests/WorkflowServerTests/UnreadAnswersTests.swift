import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import WorkflowEngine

@testable import WorkflowServer  // A handler of its connections is no part of what the daemon uses.

/// Tests the memory that a connection holds for its caller, on a channel whose caller takes bytes when the test says
/// so.
@Suite struct UnreadAnswersTests {
    private let log = CutOffs()
    private let budget: AnswerBudget
    private let channel: SlowChannel

    init() throws {
        budget = AnswerBudget(limit: 1 << 20, log: OperatorLog(log.logger))
        channel = try SlowChannel(budget)
    }

    @Test func whatIsNotTakenIsCountedUntilItIs() {
        channel.write(1_000)
        #expect(budget.used == 1_000)
        channel.take(400)
        channel.pass(seconds: 1)
        #expect(budget.used == 600)
        channel.take(600)
        channel.pass(seconds: 1)
        #expect(budget.used == 0)
    }

    @Test func whoTakesNothingForThirtySecondsIsLeft() {
        channel.write(1_000)
        channel.pass(seconds: AnswerLimits.stalledSeconds - 1)
        #expect(channel.isOpen && log.lines.withLock { $0 } == [])
        channel.pass(seconds: 1)
        #expect(!channel.isOpen)
        #expect(budget.used == 0)
        #expect(
            log.lines.withLock { $0 } == [
                "notice a connection was cut off, whose caller did not read its answer bytes=1000 seconds=30"
            ])
    }

    @Test func whoTakesAByteNowAndThenIsWaitedFor() {
        channel.write(100)
        for _ in 0..<99 {
            channel.pass(seconds: AnswerLimits.stalledSeconds - 1)
            channel.take(1)
            channel.pass(seconds: 1)
            #expect(channel.isOpen)
        }
        #expect(budget.used == 1)
    }

    @Test func moreToTakeIsNoProgress() {
        for _ in 0..<AnswerLimits.stalledSeconds {
            #expect(channel.isOpen)
            channel.write(10)
            channel.pass(seconds: 1)
        }
        #expect(!channel.isOpen)
        #expect(budget.used == 0)
    }

    @Test func whoHasTakenEverythingMayRest() {
        channel.write(100)
        channel.take(100)
        channel.pass(seconds: 1_000)
        #expect(channel.isOpen)
        // Later bytes have their own time.
        channel.write(100)
        channel.pass(seconds: AnswerLimits.stalledSeconds - 1)
        #expect(channel.isOpen)
    }

    @Test func whoGoesAwayHoldsNothing() {
        channel.write(1_000)
        channel.end()
        #expect(budget.used == 0)
    }
}

/// A collector of log lines.
private final class CutOffs: Sendable {
    let lines = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CutOffs
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            log.lines.withLock { $0.append("\(event.level) \(event.message)\(all)") }
        }
    }
}

/// A channel that writes as much as its caller takes.
private final class SlowChannel {
    private final class Caller {
        var given = 0
        var taken = 0
    }

    private let channel = EmbeddedChannel()
    private let caller = Caller()

    init(_ budget: AnswerBudget) throws {
        let handler = UnreadAnswers(budget: budget) { [caller] _ in caller.given - caller.taken }
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/none"), promise: nil)
    }

    var isOpen: Bool { channel.isActive }

    func write(_ bytes: Int) {
        caller.given += bytes
        channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(repeating: 0, count: bytes)), promise: nil)
    }

    func take(_ bytes: Int) { caller.taken += bytes }

    func pass(seconds: Int) { channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds))) }

    func end() { channel.close(promise: nil) }
}
