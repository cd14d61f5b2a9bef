import SQLiteFloor
import Statechart
import WorkflowJSON
import WorkflowStore

/// Takes instances through their tasks before the clock starts, so that the floor knows every row that the engine will
/// write.
package struct TaskPlanner {
    /// The result that every worker sends.
    package static let result = #"{"ok":true}"#
    /// The name of every worker.
    static let worker = "bench"
    /// The duration of each lease, in milliseconds.
    static let leaseMilliseconds: Int64 = 30_000

    private let machine: Machine
    private let event: String
    private let batch: Int
    private let data: JSONValue
    private let start: Timestamp
    private var snapshots: [Snapshot]
    /// The last requests of the instances.
    private var requests: [EffectRequest?]
    private var random = Generator(seed: 3)
    private var count = 0

    init(_ workload: Workload, at start: Timestamp) throws {
        self.start = start
        event = workload.event
        batch = workload.batch
        data = try JSONReader.value(from: Self.result)
        machine = try DefinitionReader.read(workload.source).machine
        let started = machine.apply(.start(), to: nil, as: InstanceIdentity(name: "", version: 1, startedAt: .zero))
        guard case .accepted(let macrostep) = started else { throw BenchmarkError("the machine does not start") }
        snapshots = Array(repeating: macrostep.snapshot, count: workload.instances)
        requests = Array(repeating: nil, count: workload.instances)
    }

    /// Adds events that begin a task each.
    mutating func begin(_ instances: some Sequence<Int>, to plan: inout FloorPlan) throws {
        for instance in instances {
            let event = Event(name: event, at: nextTime())
            var (row, macrostep) = try step(instance, .event(event), data: nil, &plan)
            guard let request = macrostep.requests.first?.effect else { throw BenchmarkError("no task begins") }
            requests[instance] = request
            row.step = SQLITE_FLOOR_BEGINS
            describe(request, of: instance, in: &row, &plan)
            plan.events.append(row)
        }
    }

    /// Lets a worker lease the tasks of instances.
    mutating func lease(_ instances: some Sequence<Int>, to plan: inout FloorPlan) throws {
        for instance in instances {
            guard let request = requests[instance] else { throw BenchmarkError("there is no task to be taken") }
            var row = FloorPlan.nothing
            row.instance = Int32(instance)
            row.at_ms = nextTime().milliseconds
            row.step = SQLITE_FLOOR_LEASES
            describe(request, of: instance, in: &row, &plan)
            row.worker = plan.add(Self.worker)
            row.due_ms += Self.leaseMilliseconds
            plan.events.append(row)
        }
    }

    /// Adds the results of the tasks of instances.
    mutating func complete(_ instances: some Sequence<Int>, to plan: inout FloorPlan) throws {
        for instance in instances {
            guard let pending = snapshots[instance].armed.first else { throw BenchmarkError("there is no task to end") }
            let result = Event(name: pending.event, data: data, at: nextTime())
            var (row, _) = try step(instance, .result(Taken(pending, result: result)), data: Self.result, &plan)
            row.step = SQLITE_FLOOR_COMPLETES
            // The engine's are hashes.
            let key = (random.next(), random.next())
            row.key = plan.add(withUnsafeBytes(of: key, Array.init))
            row.note = plan.add(#"{"invoke":{"number":\#(pending.id.number),"seq":\#(pending.id.seq)}}"#)
            plan.events.append(row)
        }
    }

    private mutating func step(
        _ instance: Int, _ input: Input, data: String?, _ plan: inout FloorPlan
    ) throws -> (sqlite_floor_event, Macrostep) {
        let before = snapshots[instance]
        let identity = InstanceIdentity(name: "i-\(instance)", version: 1, startedAt: .zero)
        guard case .accepted(let macrostep) = machine.apply(input, to: before, as: identity) else {
            throw BenchmarkError("the machine does not take '\(input.event.name)'")
        }
        snapshots[instance] = macrostep.snapshot
        guard macrostep.snapshot.armed.allSatisfy({ $0.kind == .invocation }), macrostep.snapshot.armed.count <= 1
        else { throw BenchmarkError("the floor knows instances with one task at most") }
        var row = plan.row(of: input.event, data: data, from: before, to: macrostep.snapshot, in: machine)
        row.instance = Int32(instance)
        return (row, macrostep)
    }

    private func describe(
        _ request: EffectRequest, of instance: Int, in row: inout sqlite_floor_event, _ plan: inout FloorPlan
    ) {
        row.name = plan.add(request.name)
        row.queue = plan.add(request.queue)
        row.request = plan.add(request.text)
        row.priority = request.priority
        row.ordinal = Int64(snapshots[instance].armed.first?.id.number ?? 0)
        row.due_ms = row.at_ms
    }

    /// Returns the time of the next batch, a millisecond later.
    private mutating func nextTime() -> LogicalTime {
        defer { count += 1 }
        return LogicalTime(milliseconds: start.rawValue + Int64(count / batch))
    }
}
