import Statechart
import WorkflowJSON
package import WorkflowStore

/// A request for many instances.
package struct BulkRequest: Sendable {
    /// The instances of a request.
    package enum Targets: Sendable, Equatable {
        case selection(BulkSelection)
        /// Named instances: their number, and the digest of their names.
        case names(Int, Digest)
    }

    package var action: BulkAction
    package var targets: Targets
    /// The beginning of the digest of the rehearsed selection.
    package var expect: String?
    package var reason: String?
    /// True to change nothing unless the action can be done to all instances.
    package var isAtomic: Bool
    /// The first instance id that the run does not include, because its instance was started after the run began; `nil`
    /// until the run has begun.
    var instances: InstanceID?

    package init(
        action: BulkAction, targets: Targets, expect: String? = nil, reason: String? = nil, isAtomic: Bool = false
    ) {
        self.isAtomic = isAtomic
        self.action = action
        self.targets = targets
        self.expect = expect
        self.reason = reason
    }

    /// The selection; `nil` if the request names its instances.
    var selection: BulkSelection? { if case .selection(let selection) = targets { selection } else { nil } }

    /// The way in which the data that a run of the request erases leaves the files; `nil` if the run erases nothing.
    var erasure: ErasureKind? { action.verb.traits.erasure }

    /// True if the request is only for instances that their machine suspended.
    var isForSuspendedByMachine: Bool { selection?.isSuspendedByMachine ?? false }

    /// True if instances that have moved since the run began have no turn: the condition may not have held then.
    var isForUnmoved: Bool { selection?.condition != nil }

    /// Returns the digest of names, for `Targets.names`.
    package static func digest(of names: [InstanceName]) -> Digest {
        Digest(of: Array(names.map(\.rawValue).joined(separator: "\n").utf8))
    }
}

// MARK: As it is stored: two requests are the same when their texts are

extension BulkRequest {
    var text: String {
        var object: JSONObject = ["action": .object(action.stored)]
        switch targets {
        case .selection(let selection):
            // An earlier release would skip what it does not know and select more. It cannot read the other name.
            object[selection.isNarrow ? "narrow" : "select"] = .object(selection.object)
        case .names(let count, let digest):
            object["names"] = ["count": .int(Int64(count)), "digest": .string(digest.text)]
        }
        object["expect"] = expect.map(JSONValue.string)
        object["reason"] = reason.map(JSONValue.string)
        if isAtomic { object["allOrNothing"] = true }
        object["instances"] = (instances?.rawValue).map(JSONValue.int)
        return JSONWriter.string(JSONValue.object(object))
    }

    /// Returns true if this stored request is the one that a caller asks for. The caller of an undo needs to know only
    /// the name of the run to undo.
    func isSame(as asked: BulkRequest) -> Bool {
        var asked = asked
        asked.instances = instances
        if let undo = action.undo, let other = asked.action.undo {
            guard undo.run == other.run, undo.invocations == other.invocations else { return false }
            asked.action = action
            asked.targets = targets
        } else if action.verb.isSame(as: asked.action.verb) {
            asked.action = action
        }
        return text == asked.text
    }

    /// Returns `nil` if no wfd has written the text.
    init?(_ text: String) {
        guard let object = RecordedFailure.object(text), let action = object["action"]?.object.flatMap(BulkAction.init)
        else { return nil }
        if let selection = (object["narrow"] ?? object["select"])?.object {
            targets = .selection(BulkSelection(selection))
        } else if let names = object["names"]?.object, case .int(let count)? = names["count"],
            let digest = (names["digest"]?.string).flatMap({ Digest(text: $0) })
        {
            targets = .names(Int(clamping: count), digest)
        } else {
            return nil
        }
        self.action = action
        expect = object["expect"]?.string
        reason = object["reason"]?.string
        isAtomic = object["allOrNothing"] == true
        instances = object.number("instances").map(InstanceID.init(rawValue:))
    }
}
