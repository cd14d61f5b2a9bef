import Statechart
package import WorkflowJSON
import WorkflowStore

/// The action of a bulk run on each of its instances: a verb, in the form in which a caller requests it.
package struct BulkAction: Sendable {
    let verb: any BulkVerb
    /// The action as it is stored: the request, and for an undo also the facts about the undone run.
    let stored: JSONObject

    /// Resumes suspended instances.
    static let resume = BulkAction(verb: RepairVerb(.resume), stored: ["verb": "resume"])

    /// The action in the form of the API.
    package var json: JSONObject { Self.lifted(stored) }

    /// The action's name in the API.
    package var name: String { stored["verb"]?.string ?? "" }

    /// Lifts the fields of inner objects. Before 0.2, a changed context and a plan were stored as inner objects.
    private static func lifted(_ stored: JSONObject) -> JSONObject {
        var object = stored
        for name in ["change", "plan"] {
            guard let inner = stored[name]?.object else { continue }
            object[name] = nil
            for member in inner.members { object[member.key] = member.value }
        }
        return object
    }

    /// The list of all verbs.
    private static func verb(_ json: JSONObject) -> (any BulkVerb)? {
        switch json["verb"]?.string {
        case "retry" where json["to"] == nil: RepairVerb(.retry)
        case "retry", "migrate": MigrateVerb(json)
        case "skip": RepairVerb(.skip)
        case "cancel": RepairVerb(.cancel(runsActions: json["actions"] != false))
        case "set": RepairVerb(.set(ContextChange(set: json["set"]?.object ?? [:], unset: json.texts("unset"))))
        case "suspend": RepairVerb(.suspend)
        case "resume": RepairVerb(.resume)
        case "send": SendVerb(json)
        case "reset": ResetVerb(json)
        case "undo": UndoVerb(json)
        case "delete": DeleteVerb(cancelsEffects: json["cancelEffects"] == true)
        case "redact": RedactVerb(paths: json.texts("paths"))
        default: nil
        }
    }
}

extension BulkAction {
    /// Reads an action; returns `nil` if no caller can request it.
    package init?(_ stored: JSONObject) {
        guard let verb = Self.verb(Self.lifted(stored)) else { return nil }
        self.init(verb: verb, stored: stored)
    }

    /// The verb of an action that undoes a run; `nil` for all other actions.
    var undo: UndoVerb? { verb as? UndoVerb }

    /// True if the action undoes a run.
    package var isUndo: Bool { undo != nil }

    /// Returns true if the action undoes this run, and no other with the same name.
    func isUndo(of run: BulkRecord) -> Bool {
        undo.map { $0.run == run.key.name && $0.floor(in: run.key.partition) == run.floor } ?? false
    }
}

extension JSONObject {
    /// Returns a whole number; `nil` if there is none.
    func number(_ name: String) -> Int64? { if case .int(let number)? = self[name] { number } else { nil } }

    /// Returns the whole numbers of a list; none if there is no list.
    func numbers(_ name: String) -> [Int64] {
        guard case .array(let numbers)? = self[name] else { return [] }
        return numbers.compactMap { if case .int(let number) = $0 { number } else { nil } }
    }

    /// Returns the texts of a list; none if there is no list.
    func texts(_ name: String) -> [String] {
        if case .array(let texts)? = self[name] { texts.compactMap(\.string) } else { [] }
    }
}
