import ArgumentParser
import EngineFloor
import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// Measures the cost of waiting effects: the memory of a daemon with many of them, the time until it is ready after a
/// kill, and the delay of another queue's effects.
struct PendingBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "Measures memory, start after kill -9 and other queues with a million pending effects.")

    @Option(help: ArgumentHelp("Effects that wait.", valueName: "n"))
    var count: Int = 1_000_000

    @Option(help: ArgumentHelp("Queues of tasks that they wait in, before all wait in one.", valueName: "n"))
    var queues: Int = 1_000

    @Option(help: ArgumentHelp("Effects of the other queue that are begun in a second.", valueName: "n"))
    var rate: Int = 200

    @Option(help: ArgumentHelp("Rounds of these, of which the median counts.", valueName: "n"))
    var rounds: Int = 5

    @Option(help: ArgumentHelp("Makes the databases below this folder.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        guard (1...10_000_000).contains(count), (1...min(count, 10_000)).contains(queues), (1...10_000).contains(rate),
            (1...100).contains(rounds)
        else { throw ValidationError("up to 10000000 effects, 10000 queues, 10000 a second and 100 rounds") }
    }

    func run() async throws {
        let parent = folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "wfbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        Interruption.made(folder)
        // What is left behind is only untidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try await CalledService(in: folder)
        try await inManyQueues(folder, service)
        try await inOneQueue(folder, service)
        try service.stop()
    }

    // MARK: In many queues

    private func inManyQueues(_ folder: URL, _ service: CalledService) async throws {
        let none = try await memory(of: "none", in: folder, service)
        try await fill("tasks", in: folder, with: (0..<queues).map { "{task: q-\($0)}" })
        let tasks = try await memory(of: "tasks", in: folder, service)
        print("ready after kill -9: \(tasks.ready), without them \(none.ready)   (goal: 2 seconds)")
        print("RssAnon at rest: \(tasks.rest) MiB, without them \(none.rest) MiB   (goal: 64 MiB more)")
        print(
            "RssAnon after 10 leases in each queue, their list and 1000 requests: \(tasks.used) MiB, without them "
                + "\(none.used) MiB")
    }

    /// Kills a daemon, starts it again, and uses it. Returns the time until it was ready, and its memory in MiB before
    /// and after the use.
    private func memory(
        of name: String, in folder: URL, _ service: CalledService
    ) async throws -> (ready: Duration, rest: Int, used: Int) {
        let first = try await daemon(name, in: folder)
        try EffectStarts.prepare(first, service)
        first.kill()
        let killed = ContinuousClock.now
        let daemon = try await daemon(name, in: folder)
        try daemon.ask(HTTPRequestText.get("/readyz"))
        let ready = ContinuousClock.now - killed
        let rest = try daemon.anonymousMiB()
        for queue in 0..<queues {
            try daemon.ask(HTTPRequestText.post("/v1/tasks/q-\(queue)/lease", #"{"max":10}"#))
        }
        try daemon.ask(HTTPRequestText.get("/v1/queues?limit=100"))
        let starts = try EffectStarts(daemon, service)
        _ = try await starts.run(perSecond: Double(rate), seconds: 1_000 / Double(rate))
        starts.close()
        let used = try daemon.anonymousMiB()
        try daemon.stop()
        return (ready, rest, used)
    }

    // MARK: In one queue

    /// Measures effects that wait for a slow server, so that the daemon works on them.
    private func inOneQueue(_ folder: URL, _ service: CalledService) async throws {
        try await fill("one", in: folder, with: ["{http: {url: 'http://\(service.slow)/'}}"])
        let idle = try await daemon("idle", in: folder)
        let busy = try await daemon("one", in: folder)
        for daemon in [idle, busy] { try EffectStarts.prepare(daemon, service) }
        let (plain, beside) = (try EffectStarts(idle, service), try EffectStarts(busy, service))
        var delays: [(beside: Double, plain: Double)] = []
        for round in 0...rounds {
            let seconds = round == 0 ? 1 : 1_000 / Double(rate)
            let one = try await beside.run(perSecond: Double(rate), seconds: seconds).delays.milliseconds(99)
            let other = try await plain.run(perSecond: Double(rate), seconds: seconds).delays.milliseconds(99)
            // The first requests do not count.
            if round > 0 { delays.append((one, other)) }
        }
        delays.sort { $0.beside / $0.plain < $1.beside / $1.plain }
        let median = delays[delays.count / 2]
        print(
            "p99 of the start of \(rate) effects/s in another queue: \(median.beside.text(1)) ms, of a daemon without "
                + "them \(median.plain.text(1)) ms, \((median.beside / median.plain).text(2)) times   (goal: 2)")
        for starts in [plain, beside] { starts.close() }
        try idle.stop()
        // What it has begun is answered in its time.
        busy.kill()
    }

    // MARK: Both

    private func daemon(_ name: String, in folder: URL) async throws -> ServerProcess {
        try await .daemon(in: folder, name: name, more: ["--allow-http", "127.0.0.1/32"])
    }

    /// Makes a file with instances that wait for effects, the same number for each kind.
    private func fill(_ name: String, in folder: URL, with effects: [String]) async throws {
        let begin = ContinuousClock.now
        let running = try RunningEngine(path: folder.appending(path: "\(name).db").path)
        let engine = running.engine
        for (number, effect) in effects.enumerated() {
            let invoke = effect.dropLast() + ", onDone: over}"
            let text = "{id: m-\(number), initial: on, states: {on: {invoke: \(invoke)}, over: {type: final}}}"
            _ = try await engine.apply(text, syntax: .yaml, by: .bench)
        }
        try await many(count) { number in
            let machine = MachineName(rawValue: "m-\(number % effects.count)")
            let instance = InstanceName(rawValue: "p-\(number)")
            _ = try await engine.start(StartCommand(machine: machine, instance: instance, by: .bench))
        }
        try await running.stop()
        print("filled: \(count) effects in \(effects.count) queues in \(ContinuousClock.now - begin)")
    }
}
