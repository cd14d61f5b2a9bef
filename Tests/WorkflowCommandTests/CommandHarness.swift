import Foundation
import Synchronization
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowCommand
import WorkflowJSON

/// Runs command lines without a process, a file or a daemon.
struct CommandHarness {
    /// The output and the exit code of a run.
    struct Outcome: Equatable {
        var exit: Int32
        var output: String
        var errors: String
    }

    /// Ignores the signal of closed pipes, as `wfctl` does: a program that does not read its input ends nobody.
    private static let ignoresClosedPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    var files: [String: String] = [:]
    /// The numbers of the input lines for which the reader must wait.
    var lateLines: Set<Int> = []
    var variables = ["WFCTL_ADDRESS": "unix:/run/test.sock"]
    var isTerminal = false
    /// The width of the terminal.
    var columns: Int?
    /// The number of writes after which nobody reads the output; `nil` for a reader that reads to the end.
    var writesRead: Int?
    /// The time that the clock advances with every reading.
    var tick = Duration.zero
    /// The requests to end the process.
    var interruptions: @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } }
    /// Gets the address and the access of each client.
    var connecting: @Sendable (Address, ClientAccess) -> Void = { _, _ in }
    /// The secret that is typed on the terminal; `nil` without a terminal.
    var secret: String?

    /// Runs with a daemon that gives these answers.
    func run(_ arguments: String..., answers: [ScriptedTransport.Step] = []) async -> Outcome {
        await run(arguments, transport: ScriptedTransport(answers)).outcome
    }

    /// Runs a command line, and returns its outcome and the daemon that was asked.
    func run(
        _ arguments: [String], transport: ScriptedTransport
    ) async -> (outcome: Outcome, addresses: [Address]) {
        let memory = MemoryFiles(contents: files, lateLines: lateLines)
        let (outcome, addresses) = await run(arguments, transport: transport, files: memory)
        return (outcome, addresses)
    }

    /// Runs a command line, and leaves its written files in `files`.
    func run(
        _ arguments: [String], transport: ScriptedTransport, files: MemoryFiles
    ) async -> (outcome: Outcome, addresses: [Address]) {
        Self.ignoresClosedPipes
        let output = TextCollector(isTerminal: isTerminal, columns: columns, writesRead: writesRead)
        let errors = TextCollector(isTerminal: isTerminal)
        let addresses = AddressCollector()
        let environment = CommandEnvironment(
            variables: variables, output: output, errors: errors, files: files,
            connect: { [connecting] address, access in
                connecting(address, access)
                addresses.list.withLock { $0.append(address) }
                return WorkflowClient(transport: transport, limits: ClientLimits(patience: .seconds(1)))
            }, askSecret: { [secret] _ in secret }, makeKey: { Sample.key },
            uptime: TickingClock(tick).now, interruptions: interruptions)
        let exit = await CommandLineRun(environment: environment, version: Release.version)(arguments)
        let outcome = Outcome(exit: exit, output: output.text, errors: errors.text)
        return (outcome, addresses.list.withLock { $0 })
    }
}

private final class AddressCollector: Sendable {
    let list = Mutex<[Address]>([])
}

private final class TextCollector: TextSink {
    let isTerminal: Bool
    let columns: Int?
    private let writesRead: Int?
    private let written = Mutex((text: "", writes: 0))

    init(isTerminal: Bool, columns: Int? = nil, writesRead: Int? = nil) {
        self.isTerminal = isTerminal
        self.columns = columns
        self.writesRead = writesRead
    }

    var text: String { written.withLock { $0.text } }

    func write(_ text: String) throws {
        try written.withLock { written in
            if let writesRead, written.writes >= writesRead { throw OutputClosed() }
            written.text += text
            written.writes += 1
        }
    }

    func write(_ bytes: [UInt8]) throws {
        try write(String(decoding: bytes, as: UTF8.self))
    }
}

/// A clock that advances by the same step with every reading.
private final class TickingClock: Sendable {
    private let time = Mutex(Duration.zero)
    private let tick: Duration

    init(_ tick: Duration) {
        self.tick = tick
    }

    func now() -> Duration {
        time.withLock { time in
            time += tick
            return time
        }
    }
}

/// Files in memory.
final class MemoryFiles: FileAccess {
    private let files: Mutex<[String: String]>
    private let lateLines: Set<Int>

    init(contents: [String: String], lateLines: Set<Int> = []) {
        files = Mutex(contents)
        self.lateLines = lateLines
    }

    /// The present content of each file.
    var contents: [String: String] { files.withLock { $0 } }

    func create(_ path: String, isPrivate: Bool) -> any NewFile { MemoryFile(path, in: self) }

    fileprivate func put(_ content: String, at path: String) { files.withLock { $0[path] = content } }

    func read(_ path: String, limit: Int) throws -> [UInt8] {
        guard let content = contents[path] else {
            throw CommandFailure(.fileUnreadable, "Cannot read '\(path)': No such file or directory")
        }
        return Array(content.utf8)
    }

    func readPrivate(_ path: String, limit: Int) throws -> [UInt8] { try read(path, limit: limit) }

    func createFolder(_ path: String) {}

    func lines(_ path: String) throws -> any LineSource { MemoryLines(try read(path, limit: .max), lateLines) }

    func exists(_ path: String) -> Bool { contents[path] != nil }
}

private final class MemoryLines: LineSource {
    let size: Int64?
    private(set) var position: Int64 = 0
    private var lines: ArraySlice<ArraySlice<UInt8>>
    private let lateLines: Set<Int>

    init(_ content: [UInt8], _ lateLines: Set<Int>) {
        self.lateLines = lateLines
        size = Int64(content.count)
        lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if lines.last?.isEmpty == true { lines.removeLast() }
    }

    func isNextThere(limit: Int) -> Bool { !lateLines.contains(lines.startIndex + 1) }

    func next(limit: Int) -> [UInt8]? {
        guard let line = lines.popFirst() else { return nil }
        position += Int64(line.count + 1)
        return Array(line)
    }
}

private final class MemoryFile: NewFile {
    private let path: String
    private let files: MemoryFiles
    private var content: [UInt8] = []

    init(_ path: String, in files: MemoryFiles) {
        self.path = path
        self.files = files
    }

    func write(_ bytes: [UInt8]) { content += bytes }

    func commit(replacing: Bool) { files.put(String(decoding: content, as: UTF8.self), at: path) }

    func discard() {}
}

/// The answers that several tests need.
enum Sample {
    static let key = "019aa000-0000-7000-8000-000000000001"
    static let time = WireTime(milliseconds: 1_785_490_200_123)

    static func instance(
        _ name: String, status: Instance.Status = .running, configuration: [String] = ["draft"], seq: Int64 = 1
    ) -> Instance {
        Instance(
            instance: name, machine: "order", version: 2, status: status, configuration: configuration,
            context: (["amount": 250, "note": "true"] as JSONValue).object ?? .init(), seq: seq, createdAt: time,
            updatedAt: time)
    }

    static let sent = SendAnswer(
        instance: "order-1042", event: "pay", seq: 5, fromSeq: 4, from: ["awaiting_payment"], to: ["packing"],
        status: .running, configuration: ["packing"], context: .init())

    static func row(_ seq: Int64, _ event: String, from: [String], to: [String]) -> HistoryItem {
        HistoryItem(
            seq: seq, at: time, kind: seq == 1 ? "started" : "event", event: event,
            data: seq == 1 ? nil : ["card": "tok"], from: from, to: to, cursor: "c\(seq)")
    }

    static let machine = MachineSummary(
        machine: "order", version: 2, semantics: 2, digest: String(repeating: "0a", count: 32), createdAt: time)

    static let definition = """
        id: order
        initial: draft
        context: {amount: 0.5}
        states:
          draft: {on: {submit: review}}
          review: {on: {ok: done}}
          done: {type: final}
        """
}
