import WorkflowJSON

// The stored form of the pending items: a JSON list, in the order in which the items were armed.

extension Machine {
    /// - Parameter positions: The positions of the rows that armed the items, in the same order; empty for no
    ///   positions.
    func text(of armed: [Pending], positions: [Int64]) -> String {
        if armed.isEmpty { return "[]" }
        let elements = armed.enumerated().map { offset, pending in
            var object = json(of: pending)
            if !positions.isEmpty { object["position"] = .int(positions[offset]) }
            return JSONValue.object(object)
        }
        return JSONWriter.string(JSONValue.array(elements))
    }

    func json(of pending: Pending) -> JSONObject {
        var object: JSONObject = [
            "seq": .int(pending.id.seq), "number": .int(Int64(pending.id.number)),
            "kind": .string(pending.kind.rawValue),
        ]
        if pending.kind == .invocation { object["invoke"] = pending.invocation.map(JSONValue.string) }
        // An invocation has an event only after it has ended.
        if pending.kind != .invocation || pending.isKept {
            object["event"] = .string(pending.event)
            object["due"] = .int(pending.due.milliseconds)
            object["data"] = pending.data
        }
        switch pending.owner {
        case .state(let state): object["state"] = .string(self[state].path)
        case .send(let id): object["id"] = id.map(JSONValue.string)
        }
        if case .skip(let limit) = pending.misfire { object["skip"] = .int(limit) }
        if pending.isKept { object["kept"] = true }
        if pending.isUnsettled { object["unsettled"] = true }
        return object
    }

    /// The valid values of `Pending.ID.number`; a macrostep arms fewer items.
    private static let numbers: ClosedRange<Int64> = 1...Int64(Int32.max)

    /// - Parameter last: The seq of the instance; no item has a later seq.
    func armed(_ text: String, last: Int64) throws(SnapshotTextError) -> [Pending] {
        var armed: [Pending] = []
        for object in try SnapshotText.armedObjects(in: text) {
            guard let seq = object.number("seq", in: 1...last), let number = object.number("number", in: Self.numbers),
                let kind = object["kind"]?.string.flatMap(Pending.Kind.init)
            else { throw SnapshotTextError(message: "something armed is not whole") }
            let isKept = object["kept"] == true
            let (event, due) = try Self.coming(kind, isKept: isKept, object)
            let owner: Pending.Owner =
                if let path = object["state"]?.string { .state(try state(stored: path)) } else {
                    .send(id: object["id"]?.string)
                }
            let misfire: Misfire =
                if object["skip"] == nil {
                    .fire
                } else if let limit = object.number("skip", in: 0...StepLimits.latestDue) {
                    .skip(afterMilliseconds: limit)
                } else {
                    throw SnapshotTextError(message: "something armed is not whole")
                }
            let pending = Pending(
                id: Pending.ID(seq: seq, number: Int(number)), kind: kind, event: event, data: object["data"],
                due: due, owner: owner, misfire: misfire, isKept: isKept, isUnsettled: object["unsettled"] == true)
            armed.append(pending)
        }
        return armed
    }

    /// Returns the event of a pending item and its due time.
    private static func coming(
        _ kind: Pending.Kind, isKept: Bool, _ object: JSONObject
    ) throws(SnapshotTextError) -> (event: String, due: LogicalTime) {
        if kind == .invocation, !isKept {
            // The event and data arrive when the invocation ends.
            guard let id = object["invoke"]?.string, object["event"] == nil, object["data"] == nil else {
                throw SnapshotTextError(message: "something armed is not whole")
            }
            return (EventName.done + id, .zero)
        }
        guard let event = object["event"]?.string, let due = object.number("due", in: 0...StepLimits.latestDue),
            kind != .invocation || Pending.invocation(of: event) != nil
        else { throw SnapshotTextError(message: "something armed is not whole") }
        return (event, LogicalTime(milliseconds: due))
    }
}

extension JSONObject {
    /// Returns a number within a range; `nil` for a number outside, because the file may have been edited.
    func number(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
        if case .int(let number)? = self[key], range.contains(number) { number } else { nil }
    }
}

extension SnapshotText {
    /// Returns the positions of the rows that armed the items; only the list in an instance's row contains positions.
    package static func positions(in armed: String) throws(SnapshotTextError) -> [Int64] {
        if armed == "[]" { return [] }
        var positions: [Int64] = []
        for object in try armedObjects(in: armed) {
            guard let position = object.number("position", in: 1 ... .max - 1) else {
                throw SnapshotTextError(message: "something armed has no row that armed it")
            }
            positions.append(position)
        }
        return positions
    }

    fileprivate static func armedObjects(in text: String) throws(SnapshotTextError) -> [JSONObject] {
        guard case .array(let elements) = try Machine.value(text, "list of what is armed") else {
            throw SnapshotTextError(message: "what is armed is not a list")
        }
        var objects: [JSONObject] = []
        for element in elements {
            guard let object = element.object else { throw SnapshotTextError(message: "something armed is not whole") }
            objects.append(object)
        }
        return objects
    }
}
