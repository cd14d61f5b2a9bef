import Logging
import SQLiteStore
import ServiceLifecycle
import Statechart
package import WorkflowEngine
package import WorkflowStore

extension Caller {
    /// The caller of the measurements, without an actor in the journal.
    package static let bench = Caller(nil, namespace: .default)
}

/// An engine in this process.
package struct RunningEngine: Sendable {
    /// The engine, which takes commands until `stop`.
    package let engine: Engine
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Opens or makes the file, and starts the engine.
    package init(path: String, limits: EngineLimits = EngineLimits()) throws {
        self.init(try SQLiteFileStore.open(at: path, clock: SystemClock().now()), limits: limits)
    }

    /// Starts the engine on a store.
    package init(_ store: any WorkflowStore, limits: EngineLimits = EngineLimits()) {
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let engine = Engine(store: store, limits: limits, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: engine)], gracefulShutdownSignals: [], logger: logger))
        self.engine = engine
        self.group = group
        // `stop` awaits it; it ends when it is told to.
        running = Task { try await group.run() }
    }

    /// Compiles the machines of the file. A command that waits for a machine is overtaken by others, and the rows would
    /// not be in the floor's order.
    func compileMachines() async throws {
        var number: Int64 = 1
        while let record = try await engine.store.machine(MachineID(rawValue: number)) {
            _ = try await engine.loadedMachine(record.id)
            number += 1
        }
    }

    /// Stops the engine properly, and closes the store.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

/// Sends to an engine in one order, with several requests under way: an actor's turn lasts until its commands are in
/// the engine's queue.
package actor OrderedSender {
    private let engine: Engine
    private var place = 0

    /// Creates a sender to an engine.
    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Sends all lists, a few at a time.
    func send(_ lists: [[SendCommand]], atOnce lanes: Int) async throws {
        place = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<lanes { group.addTask { try await self.lane(lists) } }
            try await group.waitForAll()
        }
    }

    /// Starts instances named `i-0`, `i-1`, … in this order.
    package func start(_ count: Int, of machine: MachineName) async throws {
        place = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<512 { group.addTask { try await self.starting(count, machine) } }
            try await group.waitForAll()
        }
    }

    private func lane(_ lists: [[SendCommand]]) async throws {
        while place < lists.count {
            let list = lists[place]
            place += 1
            for outcome in try await engine.send(list) { _ = try outcome.get() }
        }
    }

    private func starting(_ count: Int, _ machine: MachineName) async throws {
        while place < count {
            let number = place
            place += 1
            let name = InstanceName(rawValue: "i-\(number)")
            _ = try await engine.start(StartCommand(machine: machine, instance: name, by: .bench))
        }
    }
}
