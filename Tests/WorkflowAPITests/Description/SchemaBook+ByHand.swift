import WorkflowAPI
import WorkflowJSON

// The types that read and write themselves: a line with one of several fields, and a value of one of several kinds.
extension SchemaBook {
    private typealias Field = (name: String, type: Any.Type)

    /// Returns the schema of a type that has no list of fields.
    func writtenByHand(_ type: Any.Type) -> JSONObject {
        switch type {
        case is ActiveVersion.Type:
            ["anyOf": [["type": "integer", "minimum": 1], ["type": "string", "const": "latest"]]]
        case is BacktestLine.Type:
            choice(
                type,
                [("progress", WorkProgress.self), ("outcome", BacktestOutcome.self), ("counts", BacktestCounts.self)])
        case is BulkLine.Type:
            choice(type, [("progress", WorkProgress.self), ("rehearsal", BulkRehearsal.self), ("run", BulkRun.self)])
        case is VerificationLine.Type:
            choice(
                type,
                [
                    ("progress", WorkProgress.self), ("finding", VerificationFinding.self),
                    ("gap", VerificationGap.self), ("counts", VerificationCounts.self),
                ])
        case is TaskLine.Type: taskLine
        case is BatchLine.Type: batchLine
        case is BackupLine.Type: backupLine
        case is BulkAction.Type: bulkAction
        case is QueueRequest.Type: queueRequest
        default: preconditionFailure("no schema of '\(type)'")
        }
    }

    /// Returns the schema of an integer or a text of a size within bounds.
    func schema(of type: Any.Type, in range: ClosedRange<Int>) -> JSONObject {
        var schema = schema(of: type)
        if type is String.Type {
            // A schema counts characters, at most one for each byte.
            schema["minLength"] = .int(Int64(range.lowerBound.signum()))
            schema["maxLength"] = .int(Int64(range.upperBound))
            schema["description"] = .string("\(range.lowerBound) to \(range.upperBound) bytes of UTF-8.")
        } else {
            schema["minimum"] = .int(Int64(range.lowerBound))
            schema["maximum"] = .int(Int64(range.upperBound))
        }
        return schema
    }

    /// Describes an object that has one of several fields, whose comments are those of the type's cases.
    private func choice(_ type: Any.Type, _ fields: [Field]) -> JSONObject {
        refer(to: type) { ["oneOf": .array(fields.map { .object(object(of: type, [$0])) })] }
    }

    private var taskLine: JSONObject {
        refer(to: TaskLine.self) {
            let reports: [Field] = [
                ("complete", JSONValue.self), ("fail", FailRequest.self), ("heartbeat", HeartbeatRequest.self),
            ]
            let choices = reports.map { report in
                merged(object(of: TaskLine.self, [("task", String.self)]), object(of: TaskLine.Report.self, [report]))
            }
            return ["oneOf": .array(choices)]
        }
    }

    private var batchLine: JSONObject {
        refer(to: BatchLine.self) {
            let both = object(
                of: BatchLine.self, [("instance", String.self), ("key", String.self)], required: ["instance"])
            let event = fields(of: SendRequest.self).object
            let start = object(of: BatchLine.Content.self, [("start", BatchLine.Start.self)])
            return ["oneOf": [merged(both, event), merged(both, start)]]
        }
    }

    private var backupLine: JSONObject {
        refer(to: BackupLine.self) {
            let fields: [Field] = [("phase", BackupLine.Phase.self), ("done", Int64.self), ("total", Int64.self)]
            let progress = comments.describe(
                object(of: BackupLine.self, fields), field: "progress", of: BackupLine.self)
            return ["oneOf": [.object(progress), .object(schema(of: Backup.self))]]
        }
    }

    private var bulkAction: JSONObject {
        refer(to: BulkAction.self) {
            let plan = fields(of: MigrationPlanItem.self).object
            let own: [Field] = [
                ("verb", BulkAction.Verb.self), ("actions", Bool.self), ("cancelEffects", Bool.self),
                ("event", String.self), ("run", String.self), ("unset", [String].self), ("paths", [String].self),
                ("set", JSONObject.self), ("data", JSONValue.self), ("to", Int64.self),
                ("invocations", ResetRequest.Invocations.self),
            ]
            var action = merged(plan, object(of: BulkAction.self, own, required: ["verb"])).object ?? [:]
            let timers: [Any.Type] = [MigrationPlanItem.Timers.self, ResetRequest.Timers.self]
            let either = timers.map { JSONValue.object(schema(of: $0)) }
            replace("timers", ["anyOf": .array(either)], of: BulkAction.self, in: &action)
            return action
        }
    }

    private var queueRequest: JSONObject {
        refer(to: QueueRequest.self) {
            var request = object(of: QueueRequest.self, [("paused", Bool.self), ("new", Bool.self)], required: [])
            var concurrency = schema(of: Int.self, in: APILimits.queueConcurrency)
            concurrency["type"] = ["integer", "null"]
            replace("concurrency", concurrency, of: QueueRequest.self, in: &request)
            let rate: JSONObject = ["anyOf": [.object(schema(of: QueueRate.self)), ["type": "null"]]]
            replace("rate", rate, of: QueueRequest.self, in: &request)
            return request
        }
    }

    /// Describes an object that has some fields, all of them unless `required` names fewer.
    private func object(of type: Any.Type, _ fields: [Field], required: [String]? = nil) -> JSONObject {
        var object: JSONObject = ["type": "object"]
        for field in fields { replace(field.name, schema(of: field.type), of: type, in: &object) }
        let required = required ?? fields.map(\.name)
        if !required.isEmpty { object["required"] = .array(required.map { .string($0) }) }
        return object
    }

    /// Gives a field of an object its schema and its comment.
    private func replace(_ name: String, _ schema: JSONObject, of type: Any.Type, in object: inout JSONObject) {
        var fields = object["properties"]?.object ?? [:]
        fields[name] = .object(comments.describe(schema, field: name, of: type))
        object["properties"] = .object(fields)
    }

    /// Returns an object that has the fields of two.
    private func merged(_ one: JSONObject, _ other: JSONObject) -> JSONValue {
        var fields = one["properties"]?.object ?? [:]
        for member in other["properties"]?.object?.members ?? [] { fields[member.key] = member.value }
        let required = [one, other].flatMap { object -> [JSONValue] in
            if case .array(let names)? = object["required"] { names } else { [] }
        }
        return ["type": "object", "properties": .object(fields), "required": .array(required)]
    }
}
