import EngineFloor
import PostgresFloor

/// The loop over libpq, on its own database.
final class PostgresFloorLoop {
    private let floor: OpaquePointer
    private var isOpen = true

    /// Connects to a database that an engine filled.
    init(url: String) throws {
        guard let floor = postgres_floor_open(url) else { throw BenchmarkError("the floor has no memory") }
        self.floor = floor
        try check()
    }

    deinit { close() }

    /// Writes the events of a plan, with a number of them in each transaction.
    func run(_ plan: FloorPlan, batch: Int) throws {
        _ = plan.withPlan(batch: batch, bytes: .max) { plan in
            withUnsafePointer(to: plan) { postgres_floor_run(floor, $0) }
        }
        try check()
    }

    /// Writes each event in a transaction that locks the row of its instance, over a number of connections.
    func runLocking(_ plan: FloorPlan, connections: Int) throws {
        _ = plan.withPlan(batch: 1, bytes: .max) { plan in
            withUnsafePointer(to: plan) { postgres_floor_run_locking(floor, $0, connections) }
        }
        try check()
    }

    /// Closes the connection.
    func close() {
        if isOpen { postgres_floor_close(floor) }
        isOpen = false
    }

    private func check() throws {
        if let message = postgres_floor_message(floor) { throw BenchmarkError("floor: " + String(cString: message)) }
    }
}
