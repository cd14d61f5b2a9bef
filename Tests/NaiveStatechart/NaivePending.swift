import WorkflowJSON

/// What comes to an instance by itself: a timer of `after`, or what it sent to itself.
struct NaivePending {
    enum Owner: Equatable {
        /// Leaving the state ends it.
        case state(ModelState)
        /// `cancel` of the id ends it.
        case send(id: String?)
    }

    /// Of an instance no two are the same: the next is one more.
    let number: Int
    var event: String
    let data: JSONValue?
    /// Milliseconds since 1970.
    let due: Int64
    var owner: Owner
    /// Whether it was sent without delay.
    let isImmediate: Bool
    var skip: Int64?
    /// The id of the invocation that it is, or whose timeout it is.
    var invocation: String?
    /// Whether it comes when work outside ends, and not by itself.
    var isInvocation = false
    /// Of an invocation: what was asked.
    var request: JSONObject?
    /// Of an invocation: after how many milliseconds it ends by itself; nil for never.
    var timeout: Int64?
    /// Whether the instance has failed on it.
    var isKept = false
}

/// What is known of something pending where two implementations must agree, as text.
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

    /// Reads the column `armed`: a list, in the order in which it was armed. What only the engine knows is left out.
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
