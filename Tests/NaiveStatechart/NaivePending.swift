import WorkflowJSON

/// An item that comes to an instance by itself: a timer of `after`, or a sent event.
struct NaivePending {
    enum Owner: Equatable {
        /// The item's state. Exiting the state ends the item.
        case state(ModelState)
        /// The item's id. `cancel` with the id ends the item.
        case send(id: String?)
    }

    /// The number, which is unique in the instance and increases by one.
    let number: Int
    var event: String
    let data: JSONValue?
    /// The due time in milliseconds since 1970.
    let due: Int64
    var owner: Owner
    /// True if the event was sent without delay.
    let isImmediate: Bool
    var skip: Int64?
    /// The id of the invocation that this item is, or whose timeout it is.
    var invocation: String?
    /// True if the item comes when work outside ends, and not by itself.
    var isInvocation = false
    /// The request of an invocation.
    var request: JSONObject?
    /// The milliseconds after which an invocation ends by itself; `nil` for never.
    var timeout: Int64?
    /// True if the instance has failed on the item.
    var isKept = false
}

/// The properties of a pending item on which two implementations must agree, as text.
package struct PendingText: Equatable, CustomStringConvertible {
    package let description: String

    init(_ pending: NaivePending) {
        let owner: String
        switch pending.owner {
        case .state(let state): owner = " of '\(state.path)'"
        case .send(let id): owner = id.map { " as '\($0)'" } ?? ""
        }
        if pending.isInvocation, !pending.isKept {
            self.init(invocation: pending.invocation ?? "", owner)
            return
        }
        self.init(pending.event, pending.data, pending.due, owner, pending.isImmediate, pending.skip)
    }

    private init(invocation id: String, _ owner: String) {
        description = "invocation '\(id)'" + owner
    }

    private init(
        _ event: String, _ data: JSONValue?, _ due: Int64, _ owner: String, _ isImmediate: Bool, _ skip: Int64?
    ) {
        description =
            event + (data.map { " " + JSONWriter.string($0) } ?? "") + (isImmediate ? " at once," : "") + " at \(due)"
            + owner + (skip.map { " skipped after \($0) ms" } ?? "")
    }

    /// Reads the column `armed`: a list in the order in which the items were armed. Leaves out facts that only the
    /// engine has.
    package static func read(_ armed: String) throws -> [PendingText] {
        guard case .array(let elements) = try JSONReader.value(from: armed) else {
            throw NotUnderstood(what: "armed: \(armed)")
        }
        return try elements.map { element in
            if let object = element.object, object["kind"] == "invocation", object["kept"] == nil,
                let id = object["invoke"]?.string, let state = object["state"]?.string
            {
                return PendingText(invocation: id, " of '\(state)'")
            }
            guard let object = element.object, let event = object["event"]?.string,
                case .int(let due)? = object["due"]
            else { throw NotUnderstood(what: "armed: \(armed)") }
            let owner =
                object["state"]?.string.map { " of '\($0)'" } ?? object["id"]?.string.map { " as '\($0)'" } ?? ""
            var skip: Int64?
            if case .int(let limit)? = object["skip"] { skip = limit }
            let isImmediate = object["kind"] == "sent"
            return PendingText(event, object["data"], due, owner, isImmediate, skip)
        }
    }
}
