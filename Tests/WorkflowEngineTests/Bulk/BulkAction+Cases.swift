import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Actions as callers request them.
extension BulkAction {
    static func repair(_ verb: RepairCommand.Verb) -> BulkAction {
        switch verb {
        case .cancel(let runsActions): made("cancel", ["actions": .bool(runsActions)])
        case .set(let change):
            made("set", ["set": .object(change.set), "unset": .array(change.unset.map(JSONValue.string))])
        case .retry, .skip, .suspend, .resume: made(verb.name)
        }
    }

    static func send(event: String, data: JSONValue?) -> BulkAction {
        made("send", ["event": .string(event)], data: data)
    }

    static func migrate(to version: MachineVersion, _ plan: MigrationPlan, retries: Bool) -> BulkAction {
        var fields = plan.json
        fields["to"] = .int(version.rawValue)
        return made(retries ? "retry" : "migrate", fields)
    }

    static func reset(to seq: Seq, timers: Reset.Timers, invocations: Reset.Invocations?) -> BulkAction {
        var fields: JSONObject = ["to": .int(seq.rawValue), "timers": .string(timers.rawValue)]
        fields["invocations"] = (invocations?.rawValue).map(JSONValue.string)
        return made("reset", fields)
    }

    static func undo(_ run: String, invocations: Reset.Invocations?) -> BulkAction {
        var fields: JSONObject = ["run": .string(run)]
        fields["invocations"] = (invocations?.rawValue).map(JSONValue.string)
        return made("undo", fields)
    }

    static func delete(cancelsEffects: Bool) -> BulkAction { made("delete", ["cancelEffects": .bool(cancelsEffects)]) }

    static func redact(paths: [String]) -> BulkAction { made("redact", ["paths": .array(paths.map(JSONValue.string))]) }

    private static func made(_ verb: String, _ fields: JSONObject = [:], data: JSONValue? = nil) -> BulkAction {
        var json: JSONObject = ["verb": .string(verb)]
        for member in fields.members { json[member.key] = member.value }
        json["data"] = data
        guard let action = BulkAction(json) else { preconditionFailure("\(verb) is a verb for many instances") }
        return action
    }
}
