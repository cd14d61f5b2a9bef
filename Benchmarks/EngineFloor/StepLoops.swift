import Statechart
import WorkflowCEL
import WorkflowJSON

/// Steps of a machine and their expressions, beside the same work written by hand over dictionaries.
package enum StepLoops {
    private static let identity = InstanceIdentity(name: "bench", version: 1, startedAt: .zero)

    /// Returns the loops for two states and one event.
    package static func flat() throws -> Loops {
        let machine = try DefinitionReader.read(
            "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"
        ).machine
        let routes = ["off": ["flip": "on"], "on": ["flip": "off"]]
        return Loops(
            ours: { count in try taken(count, machine, Event(name: "flip")) },
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

    /// Returns the loops for a guard over context and event, and an assignment.
    package static func guarded() throws -> Loops {
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
        return Loops(
            ours: { count in try taken(count, machine, Event(name: "add", data: ["ok": true])) },
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

    /// Returns the loops for the guard alone.
    package static func expression() throws -> Loops {
        let source = "context.amount < 1000 && event.data.ok"
        guard let program = Program.compile(source, in: Vocabulary.environment(contextKeys: ["amount"])).program else {
            throw BenchmarkError("the expression does not compile")
        }
        let trial = Trial(context: ["amount": 250], event: ["data": ["ok": true]])
        return Loops(
            ours: { count in
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
        guard case .accepted(let started) = machine.apply(.start(), to: nil, as: identity) else { return 0 }
        var snapshot = started.snapshot
        var taken = 0
        for _ in 0..<count {
            guard case .accepted(let macrostep) = machine.apply(.event(event), to: snapshot, as: identity) else {
                break
            }
            snapshot = macrostep.snapshot
            taken += 1
        }
        return taken
    }

    /// Returns the value of the guard, written by hand over the same data.
    @inline(never)
    private static func holds(_ context: JSONObject, _ data: JSONObject) -> Bool {
        guard case .int(let amount)? = context["amount"], case .bool(let isOK)? = data["ok"] else { return false }
        return amount < 1000 && isOK
    }
}

/// The variables of the expression.
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
