import DaemonTesting
import IdentityTesting
import Statechart
import WorkflowEngine
import WorkflowStore

/// An operator's action on an instance of a machine with two versions, while its disk may lose its power.
enum PowerVerb: Sendable, CaseIterable {
    case turn, forth, back, undo, reset, redact, delete

    /// The name of the machine, and the beginning of its instances' names.
    static let machine = "tour"

    static let first = """
        id: tour
        initial: here
        context: {n: 0, who: ann}
        states:
          here: {on: {turn: {actions: {assign: {n: context.n + 1}}}}, after: {25s: there}}
          there: {on: {turn: here}}
        """
    static let second = """
        id: tour
        initial: place
        context: {n: 0, who: ann, more: 1}
        states:
          place:
            initial: here
            states:
              here: {on: {turn: {actions: {assign: {n: context.n + 2}}}}, after: {25s: there, 35s: there}}
              there: {on: {turn: here}}
        """
    static let tours = (1...4).map { "\(machine)-\($0)" }
    private static let names = ["here", "there"]

    /// Draws an action on an instance that may exist, or a start.
    static func next(
        _ names: [String], own: String, using random: inout SeededRandom
    ) -> PowerLoad.Command {
        let tours = names.filter { $0.hasPrefix(machine) }
        guard let name = tours.randomElement(using: &random), tours.count > 3 || Bool.random(using: &random) else {
            return PowerLoad.Command(machine: machine, instance: "\(machine)-\(own)")
        }
        // A deletion leaves nothing for the other verbs, so it is rare.
        let verb =
            Int.random(in: 0..<20, using: &random) == 0 ? .delete : allCases.dropLast().randomElement(using: &random)
        return PowerLoad.Command(machine: machine, instance: name, verb: verb)
    }

    /// Carries out the action. Returns the instance's seq afterwards; 0 if the instance is gone.
    func give(to engine: Engine, _ name: InstanceName) async throws(Rejection) -> Int64 {
        switch self {
        case .turn:
            return try await engine.send(
                SendCommand(instance: name.rawValue, event: Event(name: "turn", data: nil))
            ).seq.rawValue
        case .forth: return try await migrate(name, to: 2, engine) { ($0, "place.\($0)") }
        case .back: return try await migrate(name, to: 1, engine) { ("place.\($0)", $0) }
        case .undo:
            return try await engine.reset(
                ResetCommand(instance: name, to: .beforeLast, reason: "r", by: .test)
            ).seq.rawValue
        case .reset:
            // The reset goes to some earlier state. It is refused if that was redacted since.
            let seq = try await engine.instance(named: name, by: .test).record.seq.rawValue
            return try await engine.reset(
                ResetCommand(instance: name, to: .seq(Seq(rawValue: max(1, seq - 2))), reason: "r", by: .test)
            ).seq.rawValue
        case .redact:
            return try await engine.redact(
                RedactCommand(instance: name, paths: ["who"], reason: "r", by: .test)
            ).seq.rawValue
        case .delete:
            _ = try await engine.delete(DeleteCommand(instance: name, takesUnfinished: true, reason: "r", by: .test))
            return 0
        }
    }

    private func migrate(
        _ name: InstanceName, to version: Int64, _ engine: Engine, _ path: (String) -> (String, String)
    ) async throws(Rejection) -> Int64 {
        let map = Dictionary(uniqueKeysWithValues: Self.names.map(path))
        return try await engine.migrate(
            MigrateCommand(
                instance: name, to: MachineVersion(rawValue: version), MigrationPlan(map: map), reason: "r", by: .test)
        ).seq.rawValue
    }
}
