package import SQLiteFloor
package import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Applies events before the clock starts, so that the floor knows every row that the engine will write.
struct FloorPlanner {
    private let machine: Machine
    private let workload: Workload
    private var snapshots: [Snapshot]

    init(_ workload: Workload, at start: Timestamp) throws {
        self.workload = workload
        machine = try DefinitionReader.read(workload.source).machine
        let identity = InstanceIdentity(name: "", version: 1, startedAt: LogicalTime(milliseconds: start.rawValue))
        guard case .accepted(let macrostep) = machine.apply(.start(at: identity.startedAt), to: nil, as: identity)
        else {
            throw BenchmarkError("the machine does not start")
        }
        snapshots = Array(repeating: macrostep.snapshot, count: workload.instances)
    }

    /// Returns the rows of events for the floor.
    mutating func plan(_ picks: [Traffic.Pick]) throws -> FloorPlan {
        var plan = FloorPlan()
        plan.events.reserveCapacity(picks.count)
        for pick in picks { try add(pick, to: &plan) }
        return plan
    }

    private mutating func add(_ pick: Traffic.Pick, to plan: inout FloorPlan) throws {
        let before = snapshots[pick.instance]
        let identity = InstanceIdentity(name: "i-\(pick.instance)", version: 1, startedAt: .zero)
        let event = Event(
            name: workload.event, data: try pick.data.map { try JSONReader.value(from: workload.data[$0]) },
            at: LogicalTime(milliseconds: pick.at.rawValue))
        guard case .accepted(let macrostep) = machine.apply(.event(event), to: before, as: identity) else {
            throw BenchmarkError("the machine does not take '\(workload.event)'")
        }
        let after = macrostep.snapshot
        guard after.armed.count <= 1, after.status == .running else {
            throw BenchmarkError("the floor knows instances that run, with one timer at most")
        }
        snapshots[pick.instance] = after
        var row = plan.row(
            of: event, data: pick.data.map { workload.data[$0] }, from: before, to: after, in: machine)
        row.instance = Int32(pick.instance)
        if let key = pick.key { row.key = plan.add(key.bytes) }
        if let timer = after.armed.first {
            row.timer = plan.add(timer.event)
            row.due_ms = timer.due.milliseconds
            row.ordinal = Int64(timer.id.number)
            row.arms = timer.id != before.armed.first?.id
        }
        plan.events.append(row)
    }
}

/// The events in the form that the floor writes.
package struct FloorPlan {
    /// The events in the order of writing.
    package var events: [sqlite_floor_event] = []
    private var arena: [UInt8] = []
    private var texts: [sqlite_floor_text] = []
    private var known: [String: Int32] = [:]

    /// Creates a plan without events.
    package init() {}

    /// Returns an event that leads an instance from one snapshot to another. Its texts are added to the plan.
    ///
    /// - Parameter data: The event's data in its written form.
    package mutating func row(
        of event: Event, data: String?, from before: Snapshot, to after: Snapshot, in machine: Machine
    ) -> sqlite_floor_event {
        let text = machine.text(of: after)
        var row = FloorPlan.nothing
        row.event = add(event.name)
        row.data = data.map { add($0) } ?? -1
        row.from_state = add(machine.leafPaths(of: before.configuration).joined(separator: ","))
        row.to_state = add(text.configuration)
        row.context = add(text.context)
        row.memory = add(text.memory)
        row.armed = add(text.armed)
        row.at_ms = event.at.milliseconds
        if after.armed.isEmpty { return row }
        // The floor puts the position of the row that armed it where the zero is.
        let armed = machine.text(of: after, positions: after.armed.map { _ in 0 }).armed
        let halves = armed.split(separator: "\"position\":0", maxSplits: 1)
        row.armed_head = add("\(halves[0])\"position\":")
        row.armed_tail = add(String(halves[1]))
        return row
    }

    /// An event without texts.
    static let nothing: sqlite_floor_event = {
        var event = sqlite_floor_event()
        for text in [
            \.event, \.data, \.from_state, \.to_state, \.context, \.memory, \.armed, \.armed_head, \.armed_tail, \.key,
            \.timer, \.note, \.name, \.queue, \.request, \.worker,
        ] as [WritableKeyPath<sqlite_floor_event, Int32>] { event[keyPath: text] = -1 }
        return event
    }()

    /// Stores a text, and returns its number; the same text has the same number.
    package mutating func add(_ text: String) -> Int32 {
        if let number = known[text] { return number }
        let number = add(Array(text.utf8))
        known[text] = number
        return number
    }

    /// Stores bytes under a new number.
    mutating func add(_ bytes: [UInt8]) -> Int32 {
        texts.append(sqlite_floor_text(offset: Int64(arena.count), count: Int32(bytes.count)))
        arena += bytes
        return Int32(texts.count - 1)
    }

    /// Passes the plan to a function, with the limits of a batch: its events, and the bytes of their data.
    package func withPlan<T>(batch: Int, bytes: Int, _ body: (sqlite_floor_plan) throws -> T) rethrows -> T {
        try arena.withUnsafeBufferPointer { arena in
            try texts.withUnsafeBufferPointer { texts in
                try events.withUnsafeBufferPointer { events in
                    try body(
                        sqlite_floor_plan(
                            arena: arena.baseAddress, texts: texts.baseAddress, events: events.baseAddress,
                            event_count: events.count, batch_events: batch, batch_bytes: bytes))
                }
            }
        }
    }
}

/// The loop over sqlite3, on its own file.
package final class SQLiteFloorFile {
    private var floor: OpaquePointer?

    /// Opens a file that an engine made.
    package init(path: String) throws {
        floor = sqlite_floor_open(path)
        try check()
    }

    deinit {
        if let floor { sqlite_floor_close(floor) }
    }

    /// Writes the events of a plan in batches with a limit of events and of bytes.
    func run(_ plan: FloorPlan, batch: Int, bytes: Int) throws {
        _ = plan.withPlan(batch: batch, bytes: bytes) { plan in
            withUnsafePointer(to: plan) { sqlite_floor_run(floor, $0) }
        }
        try check()
    }

    /// Moves all rows from the log into the file, and closes it.
    package func close() {
        if let floor { sqlite_floor_close(floor) }
        floor = nil
    }

    private func check() throws {
        guard let floor else { throw BenchmarkError("the floor is closed, or has no memory") }
        if let message = sqlite_floor_message(floor) { throw BenchmarkError("floor: " + String(cString: message)) }
    }
}
