import DurableMachines
import EngineFloor
import Foundation
import Logging
import StateMachines
import Statechart
import WorkflowEngine
import WorkflowStore

/// Typed events through a `FileHost`, beside the same events through the engine in it. Both have their own file with as
/// many instances, and as many tasks that send one event after another: waiting events form a batch.
struct FileHostContest<M: MachineDefinition>: Contest {
    private let host: FileHost
    private let instances: [StateMachines.Instance<M>]
    private let running: RunningEngine
    private let event: M.Event
    /// The event in the engine's form.
    private let encoded: Statechart.Event
    private let events: Int

    private static var count: Int { 1_000 }
    private static var tasks: Int { 500 }

    /// Makes both files with the instances, and warms up both sides.
    ///
    /// - Parameter event: The event to send, without data. The machine accepts it in every state that it reaches.
    init(_ event: M.Event, _ setting: Setting) async throws {
        self.event = event
        events = max(1, Int(setting.seconds * 100)) * Self.count
        let logger = Logger(label: "wfbench") { _ in SwiftLogNoOpLogHandler() }
        host = try await FileHost.open(setting.folder.appending(path: "ours.db").path, logger: logger)
        var instances: [StateMachines.Instance<M>] = []
        for number in 0..<Self.count { instances.append(try await host.start(M.self, "i-\(number)")) }
        self.instances = instances
        running = try RunningEngine(path: setting.folder.appending(path: "floor.db").path)
        let machine = try await running.engine.apply(M.text, syntax: .json, by: .bench).0.record.name
        try await OrderedSender(running.engine).start(Self.count, of: machine)
        encoded = Statechart.Event(name: try event.encoded().name.rawValue)
        _ = try await ours()
        _ = try await floor()
    }

    mutating func ours() async throws -> Sample {
        let (instances, event) = (instances, event)
        return try await measure { number in _ = try await instances[number].send(event) }
    }

    mutating func floor() async throws -> Sample? {
        let (engine, event) = (running.engine, encoded)
        return try await measure { number in
            _ = try await engine.send(
                SendCommand(instance: InstanceName(rawValue: "i-\(number)"), event: event, by: .bench))
        }
    }

    mutating func end() async throws {
        try await host.close()
        try await running.stop()
    }

    /// Sends to all instances in turn; each task has its own instances.
    private func measure(_ send: @escaping @Sendable (Int) async throws -> Void) async throws -> Sample {
        let rounds = events / Self.count
        let work = Stopwatch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    for _ in 0..<rounds {
                        for number in stride(from: task, to: Self.count, by: Self.tasks) { try await send(number) }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Sample(events: events, work)
    }
}
