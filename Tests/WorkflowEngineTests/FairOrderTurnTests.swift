import IdentityTesting
import Statechart
import Testing
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // Whose turn it is, without the writer around it.

/// Tests which commands are delayed, which come first, and that none overtakes another for the same name.
@Suite struct FairOrderTurnTests {
    private static func send(_ name: String) -> any QueuedCommand {
        Queued(SendCommand(instance: name, event: Event(name: "e")), .caller { _ in })
    }

    private static func together(_ names: String...) -> any QueuedCommand {
        let lines = names.map { LineCommand.send(SendCommand(instance: $0, event: Event(name: "e"))) }
        return Queued(SendTogetherCommand(lines: lines), .caller { _ in })
    }

    private var order = FairOrder(limits: EngineLimits(), recent: WorkingSet(bound: 1), isOn: true)

    private func names(_ line: FairOrder.Line) -> [[String]] {
        line.map { entry in
            entry.command.targets.map {
                switch $0 {
                case .instance(let key): key.name.rawValue
                case .machine(let key): "machine \(key.name)"
                case .owner(let id): "owner \(id.rawValue)"
                }
            }
        }
    }

    private static func result(_ instance: String) -> any QueuedCommand {
        let digits = String(repeating: "0", count: 31) + instance + String(repeating: "0", count: 80)
        guard let task = TaskToken(text: digits) else { preconditionFailure("these are the digits of a token") }
        return Queued(EndTaskCommand(task: task, report: .completed(1), by: .test), .caller { _ in })
    }

    /// A result is charged to its instance, of which only the number is known.
    @Test mutating func resultsOfAnInstanceThatBurnsStandAside() {
        order.burnt(Self.result("7").command, 1_000_000)
        var waiting = [Self.result("7"), Self.result("8"), Self.send("cold")][...]
        #expect(order.begin(&waiting) == .plain)
        #expect(names(waiting) == [["owner 8"], ["cold"]] && names(order.aside) == [["owner 7"]])
    }

    @Test mutating func noCommandOvertakesOneThatNamesTheSame() {
        order.burnt(SendCommand(instance: "hot", event: Event(name: "e")), 1_000_000)
        var waiting = [Self.send("cold"), Self.together("hot", "cold"), Self.send("cold"), Self.send("other")][...]
        #expect(order.begin(&waiting) == .plain)
        #expect(names(waiting) == [["cold"], ["other"]])
        #expect(names(order.aside) == [["hot", "cold"], ["cold"]])
        // A command that comes later stands behind it, as long as it stands aside.
        #expect(names(order.admit([Self.send("cold"), Self.send("other")])) == [["other"]])
        waiting = []
        #expect(order.begin(&waiting) == .all)
        #expect(order.begin(&waiting) == .costly)
        #expect(order.inFront == 3 && names(waiting) == [["hot", "cold"], ["cold"], ["cold"]])
        // The batch ended with the first of them.
        order.burnt(waiting.removeFirst().command, 1_000_000)
        waiting.append(Self.send("other"))
        #expect(order.begin(&waiting) == .plain)
        // `cold` has burnt with the first.
        #expect(names(waiting) == [["other"]] && names(order.aside) == [["cold"], ["cold"]])
        #expect(names(order.admit([Self.send("cold")])) == [] && order.aside.count == 3)
    }

    @Test mutating func withoutAnythingCostlyEverythingStays() {
        var waiting = [Self.send("a"), Self.together("a", "b")][...]
        #expect(order.isIdle && order.begin(&waiting) == .all && waiting.count == 2)
        #expect(order.admit([Self.send("c")]).count == 1 && order.aside.isEmpty)
    }

    /// An instance in another namespace with the same name as a burning one does not wait.
    @Test mutating func aNameOfAnotherNamespaceIsAnother() {
        let other = Caller(nil, namespace: NamespaceID(rawValue: 2))
        order.burnt(SendCommand(instance: "hot", event: Event(name: "e")), 1_000_000)
        let theirs = Queued(SendCommand(instance: "hot", event: Event(name: "e"), by: other), .caller { _ in })
        var waiting = [Self.send("hot"), theirs][...]
        #expect(order.begin(&waiting) == .plain)
        #expect(waiting.count == 1 && waiting.first === theirs)
        #expect(names(order.aside) == [["hot"]])
    }
}
