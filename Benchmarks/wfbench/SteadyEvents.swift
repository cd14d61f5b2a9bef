import EngineFloor
import Statechart
import WorkflowEngine
import WorkflowStore

/// Events at a steady rate to a few separate instances, beside other work, with the latency of each.
struct SteadyEvents {
    /// The events a second of all clients together.
    let rate: Int
    let event: String

    static let clients = 16
    static let seconds = 10.0

    /// Starts the instances for the events.
    func start(_ machine: MachineName, in engine: Engine) async throws {
        for client in 0..<Self.clients {
            _ = try await engine.start(StartCommand(machine: machine, instance: Self.name(client), by: .bench))
        }
    }

    private static func name(_ client: Int) -> InstanceName { InstanceName(rawValue: "beside-\(client)") }

    /// Sends for some seconds, or as long as the other work lasts. Returns the latencies.
    func latencies(_ engine: Engine, whileTrue isOn: @escaping @Sendable (Engine) -> Bool) async throws -> Latencies {
        let pause = Duration.seconds(Double(Self.clients) / Double(rate))
        let begin = ContinuousClock.now
        let isBounded = isOn(engine)
        return try await withThrowingTaskGroup(of: [UInt64].self) { [event] group in
            for client in 0..<Self.clients {
                group.addTask {
                    var times: [UInt64] = []
                    var next = begin + pause * client / Self.clients
                    while ContinuousClock.now < begin + .seconds(Self.seconds), !isBounded || isOn(engine) {
                        try await Task.sleep(until: next, clock: .continuous)
                        let sent = ContinuousClock.now
                        _ = try await engine.send(
                            SendCommand(
                                instance: Self.name(client), event: Event(name: event, data: nil), by: .bench))
                        times.append(UInt64((ContinuousClock.now - sent) / .nanoseconds(1)))
                        next += pause
                    }
                    return times
                }
            }
            var latencies = Latencies()
            for try await times in group { for time in times { latencies.record(time) } }
            return latencies
        }
    }
}
