import ArgumentParser
import EngineFloor
import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// Measures how fast rows of deleted instances are removed, and the latency of events meanwhile.
struct PurgeBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Measures rows/s of deleted instances, and the latency of events beside them.")

    @Option(help: ArgumentHelp("Rows that are deleted.", valueName: "n"))
    var rows: Int = 1_000_000

    @Option(help: ArgumentHelp("Instances that have them, each event to the next one.", valueName: "n"))
    var instances: Int = 10_000

    @Option(help: ArgumentHelp("Events a second beside it.", valueName: "n"))
    var rate: Int = 1_000

    @Option(help: ArgumentHelp("Makes the database below this folder.", valueName: "folder"))
    var folder: String?

    private static let machine = """
        id: door
        initial: open
        context: {n: 0}
        states:
          open: {on: {push: {actions: {assign: {n: context.n + 1}}}, shut: shut}}
          shut: {type: final}
        """

    func validate() throws {
        guard (1...10_000_000).contains(instances), (2 * instances...100_000_000).contains(rows), rate > 0 else {
            throw ValidationError("at least two rows an instance")
        }
    }

    func run() async throws {
        let measured = try MeasuredFolder(in: folder)
        defer { measured.remove() }
        try await measured.withFolder { folder in
            var limits = EngineLimits()
            // Rows go behind the answers here.
            limits.erasureWait = .zero
            let running = try RunningEngine(path: folder.appending(path: "wfd.db").path, limits: limits)
            let engine = running.engine
            _ = try await engine.apply(Self.machine, syntax: .yaml, by: .bench)
            let steady = SteadyEvents(rate: rate, event: "push")
            try await steady.start("door", in: engine)
            try await fill(engine)
            let begin = ContinuousClock.now
            try await delete(engine)
            let deleted = ContinuousClock.now
            try await swept(engine)
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            print(
                "\(rows) rows of \(instances) instances: deleted in \(deleted - begin), gone "
                    + "\(seconds.text(2)) s after "
                    + "the begin, \((Double(rows) / seconds).text(0)) rows/s   (goal: 50000)")
            try await fill(engine)
            let plain = try await steady.latencies(engine) { _ in false }
            try await delete(engine)
            let beside = try await steady.latencies(engine) { $0.purgeBacklog.isDue }
            let left = engine.purgeBacklog.rows
            print(
                "p99 of \(rate) events/s: \(beside.milliseconds(99).text(2)) ms beside it, "
                    + "\(plain.milliseconds(99).text(2)) ms without, "
                    + "\((beside.milliseconds(99) / plain.milliseconds(99)).text(2)) times   (goal: 2); "
                    + "\(rows - Int(left)) rows went in \(SteadyEvents.seconds) s at most")
            try await swept(engine)
            try await running.stop()
        }
    }

    private func fill(_ engine: Engine) async throws {
        let begin = ContinuousClock.now
        let instances = instances
        try await many(instances) { number in
            _ = try await engine.start(StartCommand(machine: "door", instance: Self.name(number), by: .bench))
        }
        let pushes = rows / instances - 2
        for round in 0..<pushes + 1 {
            let event = Event(name: round < pushes ? "push" : "shut", data: nil)
            try await many(instances) { number in
                var random = SystemRandomNumberGenerator()
                let key = RequestKey(bytes: UniqueID(at: SystemClock().now(), random: &random).bytes)
                _ = try await engine.send(
                    SendCommand(instance: Self.name(number), event: event, key: key, by: .bench))
            }
        }
        print("filled: \(rows) rows in \(ContinuousClock.now - begin)")
    }

    private static func name(_ number: Int) -> InstanceName { InstanceName(rawValue: "i-\(number)") }

    private func delete(_ engine: Engine) async throws {
        try await many(instances) { number in
            _ = try await engine.delete(DeleteCommand(instance: Self.name(number), reason: "old", by: .bench))
        }
    }

    private func swept(_ engine: Engine) async throws {
        while engine.purgeBacklog.isDue { try await Task.sleep(for: .milliseconds(1)) }
    }
}
