import ArgumentParser
import CEL
import Foundation
import JSON
import Statechart

/// Measures the step and its expressions alone, on one core, beside the same thing written by hand.
struct StepBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "step",
        abstract: "Measures steps and expressions per second on one core, beside the same written by hand in Swift.")

    @Option(help: ArgumentHelp("Steps of each measurement.", valueName: "n"))
    var steps: Int = 300_000

    @Option(help: ArgumentHelp("Measurements of each figure, of which the median counts.", valueName: "n"))
    var rounds: Int = 5

    func validate() throws {
        guard (1_000...10_000_000).contains(steps), (1...99).contains(rounds) else {
            throw ValidationError("1000 to 10000000 steps, 1 to 99 rounds")
        }
    }

    func run() throws {
        print("what                                          per second   by hand/s   ratio   spread")
        for measured in [try Self.flat(), try Self.guarded(), try Self.expression()] {
            var ours: [Double] = []
            var floors: [Double] = []
            for _ in 0..<rounds {
                ours.append(perSecond(measured.body))
                floors.append(perSecond(measured.floor))
            }
            ours.sort()
            floors.sort()
            let (median, floor) = (ours[rounds / 2], floors[rounds / 2])
            let spread = (ours[rounds - 1] - ours[0]) / median * 100
            let cells = [
                String(Int(median)).padded(10), String(Int(floor)).padded(11), (median / floor).text(3).padded(7),
                (spread.text(0) + " %").padded(8),
            ]
            print(measured.name.padding(toLength: 45, withPad: " ", startingAt: 0) + cells.joined(separator: " "))
        }
    }

    private func perSecond(_ body: (Int) throws -> Int) -> Double {
        let clock = ContinuousClock()
        var count = 0
        let time = clock.measure { count = (try? body(steps)) ?? 0 }
        precondition(count == steps, "every step must have been taken")
        let (seconds, attoseconds) = time.components
        return Double(steps) / (Double(seconds) + Double(attoseconds) / 1e18)
    }
}

/// One figure: the work, and the same written by hand; both say how often they did it.
private struct Measured {
    let name: String
    let body: (Int) throws -> Int
    let floor: (Int) throws -> Int
}

extension StepBenchmark {
    private static let identity = InstanceIdentity(name: "bench", version: 1, startedAt: .zero)

    /// Two states and one event.
    private static func flat() throws -> Measured {
        let machine = try DefinitionReader.read(
            "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"
        ).machine
        let routes = ["off": ["flip": "on"], "on": ["flip": "off"]]
        return Measured(
            name: "step, flat machine",
            body: { count in try taken(count, machine, Event(name: "flip")) },
            floor: { count in
                var state = "off"
                var taken = 0
                for _ in 0..<count {
                    guard let next = routes[state]?["flip"] else { break }
                    state = next
                    taken += 1
                }
                return taken
            })
    }

    /// A guard over context and event, and an assignment.
    private static func guarded() throws -> Measured {
        let machine = try DefinitionReader.read(
            """
            id: order
            initial: open
            context: {amount: 250, count: 0}
            states:
              open:
                on:
                  add:
                    guard: context.amount < 1000 && event.data.ok
                    target: open
                    actions: {assign: {count: context.count + 1}}
            """
        ).machine
        return Measured(
            name: "step, guard and assign in CEL",
            body: { count in try taken(count, machine, Event(name: "add", data: ["ok": true])) },
            floor: { count in
                var context: JSONObject = ["amount": 250, "count": 0]
                let data: JSONObject = ["ok": true]
                var taken = 0
                for _ in 0..<count where holds(context, data) {
                    guard case .int(let old)? = context["count"] else { break }
                    context["count"] = .int(old + 1)
                    taken += 1
                }
                return taken
            })
    }

    /// The guard alone.
    private static func expression() throws -> Measured {
        let source = "context.amount < 1000 && event.data.ok"
        guard let program = Program.compile(source, in: Vocabulary.environment(contextKeys: ["amount"])).program else {
            throw ValidationError("the expression does not compile")
        }
        let trial = Trial(context: ["amount": 250], event: ["data": ["ok": true]])
        return Measured(
            name: "CEL, " + source,
            body: { count in
                var taken = 0
                for _ in 0..<count {
                    var budget = Budget()
                    if case .bool(true) = try program.value(trial, &budget) { taken += 1 }
                }
                return taken
            },
            floor: { count in
                let data = trial.event["data"]?.object ?? JSONObject()
                var taken = 0
                for _ in 0..<count where holds(trial.context, data) { taken += 1 }
                return taken
            })
    }

    private static func taken(_ count: Int, _ machine: Machine, _ event: Event) throws -> Int {
        guard case .accepted(let started) = machine.start(as: identity) else { return 0 }
        var snapshot = started.snapshot
        var taken = 0
        for _ in 0..<count {
            guard case .accepted(let macrostep) = machine.step(snapshot, event, as: identity) else { break }
            snapshot = macrostep.snapshot
            taken += 1
        }
        return taken
    }

    /// The guard, written by hand over the same data.
    @inline(never)
    private static func holds(_ context: JSONObject, _ data: JSONObject) -> Bool {
        guard case .int(let amount)? = context["amount"], case .bool(let isOK)? = data["ok"] else { return false }
        return amount < 1000 && isOK
    }
}

/// What the expression sees.
private struct Trial: Activation {
    let context: JSONObject
    let event: JSONObject

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        Value(.object(variable == Vocabulary.context ? context : event))
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        throw EvaluationError(.host, "there are no functions")
    }
}
