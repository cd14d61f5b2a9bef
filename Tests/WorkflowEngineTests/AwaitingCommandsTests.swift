import IdentityTesting
import Statechart
import Testing
import WorkflowStore

@testable import WorkflowEngine  // What waits for machine versions, without the writer around it.

/// Tests commands that wait for machine versions: each has its turn when its version is compiled, and overtakes no
/// command for the same instance or machine.
@Suite struct AwaitingCommandsTests {
    private var awaiting = AwaitingCommands()

    private static func send(_ name: String, _ wait: Rejection.Wait) -> any QueuedCommand {
        let entry = Queued(SendCommand(instance: name, event: Event(name: "e")), .caller { _ in })
        entry.postpone(wait)
        return entry
    }

    private static func together(_ names: String..., wait: Rejection.Wait) -> any QueuedCommand {
        let lines = names.map { LineCommand.send(SendCommand(instance: $0, event: Event(name: "e"))) }
        let entry = Queued(SendTogetherCommand(lines: lines), .caller { _ in })
        entry.postpone(wait)
        return entry
    }

    private static func compiling(_ machine: Int64) -> Rejection.Wait { .compiling(MachineID(rawValue: machine)) }

    private mutating func released(_ machines: Int64...) -> [[String]] {
        awaiting.release(Set(machines.map(MachineID.init(rawValue:)))).map { entry in
            entry.command.targets.map { if case .instance(let key) = $0 { key.name.rawValue } else { "another" } }
        }
    }

    @Test mutating func whoWaitsForAnotherVersionStays() {
        awaiting.add([Self.send("a", Self.compiling(1)), Self.send("b", Self.compiling(2))])
        awaiting.add([Self.send("c", Self.compiling(1))])
        #expect(released(3) == [])
        #expect(released(1) == [["a"], ["c"]])
        #expect(!awaiting.isEmpty && awaiting.targets.count == 1)
        #expect(released(1, 2) == [["b"]])
        #expect(awaiting.isEmpty && awaiting.targets.isEmpty)
    }

    @Test mutating func whoStandsBehindAnotherWaitsForIt() {
        awaiting.add([
            Self.send("a", Self.compiling(1)), Self.send("b", Self.compiling(2)),
            Self.together("a", "b", wait: .behind), Self.send("b", .behind),
        ])
        #expect(released(2) == [["b"]])
        #expect(released(1) == [["a"], ["a", "b"], ["b"]])
        #expect(awaiting.isEmpty)
    }

    /// After a batch that was not written, all commands are tried again.
    @Test mutating func allAreTakenInTheirOrder() {
        awaiting.add([Self.send("a", Self.compiling(1)), Self.send("a", .behind)])
        #expect(awaiting.takeAll().count == 2)
        #expect(awaiting.isEmpty && awaiting.targets.isEmpty && released(1) == [])
    }
}
