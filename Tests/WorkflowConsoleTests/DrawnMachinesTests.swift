import Drawing
import Statechart
import Testing
import WorkflowAPI

@testable import WorkflowConsole  // The pages keep what they draw, and show it to no other target.

/// Tests that a definition is read and laid out once, and that what is kept has a bound.
@Suite struct DrawnMachinesTests {
    private static func summary(_ state: String, digest: String, version: Int64 = 1) -> MachineSummary {
        MachineSummary(
            machine: "m", version: version, semantics: 1, digest: digest, createdAt: WireTime(milliseconds: 0),
            source: #"{"id": "m", "initial": "\#(state)", "states": {"\#(state)": {}}}"#)
    }

    @Test func theSameDefinitionIsLaidOutOnce() throws {
        let machines = DrawnMachines(bound: 10_000)
        let first = try #require(machines.machine(Self.summary("a", digest: "1")))
        let again = try #require(machines.machine(Self.summary("a", digest: "1", version: 2)))
        #expect(first === again && first.scene() != nil)
        // The same version with another text, as after a restore.
        let other = try #require(machines.machine(Self.summary("b", digest: "2")))
        #expect(other.machine.states.map(\.path) == ["", "b"])
        #expect(machines.count == 2)
    }

    @Test func whatIsKeptHasABound() throws {
        let bytes = try #require(Self.summary("a", digest: "").source).utf8.count
        let machines = DrawnMachines(bound: bytes * 6)
        let used = try #require(machines.machine(Self.summary("a", digest: "used")))
        for number in 1...50 {
            _ = machines.machine(Self.summary("a", digest: "\(number)"))
            #expect(machines.count <= 6)
            // A machine that is shown often stays.
            #expect(machines.machine(Self.summary("a", digest: "used")) === used)
        }
        let small = DrawnMachines(bound: bytes)
        #expect(small.machine(Self.summary("a", digest: "1")) != nil)
        #expect(small.count == 0)
    }

    @Test func eachDrawingHasItsOptions() throws {
        let machine = try #require(DrawnMachines(bound: 10_000).machine(Self.summary("a", digest: "1")))
        let plain = try #require(machine.scene())
        let noted = try #require(machine.scene(.init(hasNotes: true)))
        #expect(noted.width > plain.width || noted.height > plain.height)
        #expect(machine.scene()?.svg() == plain.svg())
        for number in 1...20 { #expect(machine.scene(.init(unfolded: ["\(number)"])) != nil) }
    }

    @Test func aDefinitionThatCannotBeReadIsNotDrawn() {
        let machines = DrawnMachines(bound: 10_000)
        var summary = Self.summary("a", digest: "1")
        summary.source = "{"
        #expect(machines.machine(summary) == nil)
        summary.source = nil
        #expect(machines.machine(summary) == nil && machines.count == 0)
    }
}
