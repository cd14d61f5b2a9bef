import Statechart
import WorkflowJSON
import WorkflowStore

// The stored form of a bulk run's action.

extension BulkAction {
    var object: JSONObject {
        var object: JSONObject = ["verb": .string(verb)]
        switch self {
        case .repair(.cancel(let runsActions)): object["actions"] = .bool(runsActions)
        case .repair(.set(let change)): object["change"] = change.data
        case .repair(.retry), .repair(.skip), .repair(.suspend), .repair(.resume): break
        case .send(let event, let data):
            object["event"] = .string(event)
            object["data"] = data
        case .migrate(let version, let plan, _):
            object["to"] = .int(version.rawValue)
            object["plan"] = .object(plan.json)
        case .reset(let seq, let timers, let invocations):
            object["to"] = .int(seq.rawValue)
            object["timers"] = .string(timers.rawValue)
            object["invocations"] = (invocations?.rawValue).map(JSONValue.string)
        case .undo(let run, let invocations):
            object["run"] = .string(run.name)
            object["floor"] = (run.floor?.rawValue).map(JSONValue.int)
            object["moved"] = run.changed.map(JSONValue.int)
            // Before 0.2 only migrations could be undone.
            if run.kind != .migrated { object["of"] = .string(run.kind.rawValue) }
            object["invocations"] = (invocations?.rawValue).map(JSONValue.string)
        case .delete(let cancelsEffects): object["cancelEffects"] = .bool(cancelsEffects)
        case .redact(let paths): object["paths"] = .array(paths.map(JSONValue.string))
        }
        return object
    }

    init?(_ object: JSONObject) {
        func number(_ name: String) -> Int64? { if case .int(let number)? = object[name] { number } else { nil } }
        func texts(_ value: JSONValue?) -> [String] {
            if case .array(let texts)? = value { texts.compactMap(\.string) } else { [] }
        }
        let invocations = (object["invocations"]?.string).flatMap(Reset.Invocations.init(rawValue:))
        switch object["verb"]?.string {
        case "cancel": self = .repair(.cancel(runsActions: object["actions"] != .bool(false)))
        case "retry", "migrate":
            let retries = object["verb"] == "retry"
            if let version = number("to") {
                self = .migrate(
                    to: MachineVersion(rawValue: version), MigrationPlan(object["plan"]), retries: retries)
            } else if retries {
                self = .repair(.retry)
            } else {
                return nil
            }
        case "skip": self = .repair(.skip)
        case "suspend": self = .repair(.suspend)
        case "resume": self = .repair(.resume)
        case "set":
            let change = object["change"]?.object ?? JSONObject()
            self = .repair(
                .set(ContextChange(set: change["set"]?.object ?? JSONObject(), unset: texts(change["unset"]))))
        case "send":
            guard let event = object["event"]?.string else { return nil }
            self = .send(event: event, data: object["data"])
        case "reset":
            guard let seq = number("to"), let timers = (object["timers"]?.string).flatMap(Reset.Timers.init(rawValue:))
            else { return nil }
            self = .reset(to: Seq(rawValue: seq), timers: timers, invocations: invocations)
        case "undo":
            guard let name = object["run"]?.string,
                let kind = object["of"].map({ $0.string.flatMap(Input.Kind.init(rawValue:)) }) ?? .migrated
            else { return nil }
            let floor = number("floor").map(Position.init(rawValue:))
            self = .undo(
                UndoneRun(name, kind: kind, floor: floor, changed: number("moved")), invocations: invocations)
        case "delete": self = .delete(cancelsEffects: object["cancelEffects"] == true)
        case "redact": self = .redact(paths: texts(object["paths"]))
        default: return nil
        }
    }
}
