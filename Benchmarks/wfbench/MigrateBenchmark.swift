import ArgumentParser
import EngineFloor
import Foundation
import SQLiteFloor
import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Measures how fast a run migrates instances, beside a loop over sqlite3 that writes a row for each of them. Also
/// measures the latency of events meanwhile.
struct MigrateBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Measures instances/s of a migration beside a loop over sqlite3, and the latency of events beside it."
    )

    @Option(help: ArgumentHelp("Instances that go over to another version.", valueName: "n"))
    var instances: Int = 1_000_000

    @Option(help: ArgumentHelp("Events a second beside it.", valueName: "n"))
    var rate: Int = 1_000

    @Option(help: ArgumentHelp("Makes the database below this folder.", valueName: "folder"))
    var folder: String?

    private static let first = """
        id: door
        initial: shut
        context: {n: 0}
        states:
          shut: {on: {push: {actions: {assign: {n: context.n + 1}}}}}
        """
    /// The plan in each row of the migration.
    private static let plan = MigrationPlan(map: ["shut": "closed"])
    private static var second: String { first.replacing("shut", with: "closed") }

    func validate() throws {
        guard (1...10_000_000).contains(instances), rate > 0 else {
            throw ValidationError("1 to 10,000,000 instances, and a rate above 0")
        }
    }

    func run() async throws {
        let measured = try MeasuredFolder(in: folder)
        defer { measured.remove() }
        try await measured.withFolder { folder in
            let ours = folder.appending(path: "wfd.db").path
            let floor = folder.appending(path: "floor.db").path
            var running = try RunningEngine(path: ours)
            _ = try await running.engine.apply(Self.first, syntax: .yaml, by: .bench)
            try await OrderedSender(running.engine).start(instances, of: "door")
            _ = try await running.engine.apply(Self.second, syntax: .yaml, by: .bench)
            try await running.stop()
            try FileManager.default.copyItem(atPath: ours, toPath: floor)
            let loop = try floorRate(floor)
            running = try RunningEngine(path: ours)
            let begin = ContinuousClock.now
            try await ended(try await migrate("there", from: 1, to: 2, Self.plan, running.engine), running.engine)
            let rate = Double(instances) / ((ContinuousClock.now - begin) / .seconds(1))
            try await running.stop()
            try SameRows.check(ours, floor)
            print(
                "\(instances) instances migrated: \(rate.text(0)) a second, the loop \(loop.text(0)), "
                    + "\((rate / loop).text(2)) of it   (goal: 0.5)")
            running = try RunningEngine(path: ours)
            try await beside(running.engine)
            try await running.stop()
        }
    }

    /// Measures events while the instances migrate back.
    private func beside(_ engine: Engine) async throws {
        let steady = SteadyEvents(rate: rate, event: "push")
        try await steady.start("door", in: engine)
        let plain = try await steady.latencies(engine) { _ in false }
        let back = MigrationPlan(map: ["closed": "shut"])
        let begin = ContinuousClock.now
        let run = try await migrate("back", from: 2, to: 1, back, engine)
        let among = try await steady.latencies(engine) { $0.runsUnderWay > 0 }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let done = try await engine.run(named: run.record.key.name, by: .bench).outcome.count(of: .done)
        print(
            "p99 of \(rate) events/s: \(among.milliseconds(99).text(2)) ms beside it, "
                + "\(plain.milliseconds(99).text(2)) ms without, "
                + "\((among.milliseconds(99) / plain.milliseconds(99)).text(2)) times   (goal: 2); "
                + "p50 \(among.milliseconds(50).text(2)) and \(plain.milliseconds(50).text(2)) ms; "
                + "\((Double(done) / seconds).text(0)) instances a second meanwhile")
        try await ended(run, engine)
    }

    private func migrate(
        _ name: String, from old: Int64, to new: Int64, _ plan: MigrationPlan, _ engine: Engine
    ) async throws -> BulkView {
        let selection = BulkSelection(machines: ["door"], versions: [MachineVersion(rawValue: old)])
        var json = plan.json
        json["verb"] = "migrate"
        json["to"] = .int(new)
        guard let action = BulkAction(json) else { throw BenchmarkError("\(json) is no action") }
        let request = BulkRequest(action: action, targets: .selection(selection), reason: "measured")
        return try await engine.begin(run: name, request, [], by: .bench)
    }

    private func ended(_ run: BulkView, _ engine: Engine) async throws {
        guard let changes = engine.changes(ofRun: run) else { throw BenchmarkError("nobody tells of the run") }
        var iterator = changes.makeAsyncIterator()
        while true {
            let now = try await engine.run(named: run.record.key.name, by: .bench)
            if now.record.state == .done {
                guard now.outcome.count(of: .done) >= Int64(instances) else { throw BenchmarkError("\(now.outcome)") }
                return
            }
            guard await iterator.next() != nil else { throw BenchmarkError("the run has not ended") }
        }
    }

    /// Returns the instances a second of a loop that writes the same rows for each.
    private func floorRate(_ path: String) throws -> Double {
        let machine = try DefinitionReader.read(Self.second).machine
        let identity = InstanceIdentity(name: "", version: 1, startedAt: .zero)
        guard case .accepted(let macrostep) = machine.apply(.start(at: .zero), to: nil, as: identity) else {
            throw BenchmarkError("the machine does not start")
        }
        var data = Self.plan.json
        data["from"] = 1
        data["to"] = 2
        let time = LogicalTime(milliseconds: SystemClock().now().rawValue)
        let event = Event(name: Migration.rename, data: nil, at: time)
        let loop = try SQLiteFloorFile(path: path)
        var seconds = 0.0
        for first in stride(from: 0, to: instances, by: 100_000) {
            var plan = FloorPlan()
            var row = plan.row(
                of: event, data: JSONWriter.string(JSONValue.object(data)), from: macrostep.snapshot,
                to: macrostep.snapshot, in: machine)
            row.from_state = plan.add("shut")
            row.note = plan.add(#"{"reason":"measured","run":"there"}"#)
            row.machine = 2
            for instance in first..<min(first + 100_000, instances) {
                row.instance = Int32(instance)
                plan.events.append(row)
            }
            let begin = ContinuousClock.now
            try loop.run(plan)
            seconds += (ContinuousClock.now - begin) / .seconds(1)
        }
        loop.close()
        return Double(instances) / seconds
    }
}
