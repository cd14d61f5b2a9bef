import JSON
import Synchronization
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowCommand

/// Runs command lines without a process, a file or a daemon.
struct CommandHarness {
    /// What a run left behind.
    struct Outcome: Equatable {
        var exit: Int32
        var output: String
        var errors: String
    }

    var files: [String: String] = [:]
    var variables = ["WFCTL_ADDRESS": "unix:/run/test.sock"]
    var isTerminal = false

    /// Runs with a daemon that gives these answers.
    func run(_ arguments: String..., answers: [ScriptedTransport.Step] = []) async -> Outcome {
        await run(arguments, transport: ScriptedTransport(answers)).outcome
    }

    /// Runs, and tells which daemon was asked.
    func run(
        _ arguments: [String], transport: ScriptedTransport
    ) async -> (outcome: Outcome, addresses: [Address]) {
        let output = TextCollector(isTerminal: isTerminal)
        let errors = TextCollector(isTerminal: isTerminal)
        let addresses = AddressCollector()
        let environment = CommandEnvironment(
            variables: variables, output: output, errors: errors, files: MemoryFiles(contents: files),
            connect: { address in
                addresses.list.withLock { $0.append(address) }
                return WorkflowClient(transport: transport)
            }, makeKey: { Sample.key })
        let exit = await CommandLineRun(environment: environment)(arguments)
        let outcome = Outcome(exit: exit, output: output.text, errors: errors.text)
        return (outcome, addresses.list.withLock { $0 })
    }
}

private final class AddressCollector: Sendable {
    let list = Mutex<[Address]>([])
}

private final class TextCollector: TextSink {
    let isTerminal: Bool
    private let written = Mutex("")

    init(isTerminal: Bool) {
        self.isTerminal = isTerminal
    }

    var text: String { written.withLock { $0 } }

    func write(_ text: String) {
        written.withLock { $0 += text }
    }
}

private struct MemoryFiles: FileAccess {
    let contents: [String: String]

    func read(_ path: String, limit: Int) throws -> [UInt8] {
        guard let content = contents[path] else {
            throw CommandFailure(.fileUnreadable, "Cannot read '\(path)': No such file or directory")
        }
        return Array(content.utf8)
    }

    func exists(_ path: String) -> Bool { contents[path] != nil }
}

/// Answers that several tests need.
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
        machine: "order", version: 2, digest: String(repeating: "0a", count: 32), createdAt: time)

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
