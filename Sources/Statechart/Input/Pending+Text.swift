import WorkflowJSON

// The stored form of what is armed: a JSON list, in the order in which it was armed.

extension Machine {
    /// - Parameter positions: Of the rows that armed it, in the same order; empty for none.
    func text(of armed: [Pending], positions: [Int64]) -> String {
        if armed.isEmpty { return "[]" }
        let elements = armed.enumerated().map { offset, pending in
            var object = json(of: pending)
            if !positions.isEmpty { object["position"] = .int(positions[offset]) }
            return JSONValue.object(object)
        }
        return JSONWriter.string(JSONValue.array(elements))
    }

    private func json(of pending: Pending) -> JSONObject {
        var object: JSONObject = [
            "seq": .int(pending.id.seq), "number": .int(Int64(pending.id.number)),
            "kind": .string(pending.kind.rawValue), "event": .string(pending.event),
            "due": .int(pending.due.milliseconds),
        ]
        object["data"] = pending.data
        switch pending.owner {
        case .state(let state): object["state"] = .string(self[state].path)
        case .send(let id): object["id"] = id.map(JSONValue.string)
        }
        if case .skip(let limit) = pending.misfire { object["skip"] = .int(limit) }
        if pending.isKept { object["kept"] = true }
        return object
    }

    func armed(_ text: String) throws(SnapshotTextError) -> [Pending] {
        var armed: [Pending] = []
        for object in try SnapshotText.armedObjects(in: text) {
            guard case .int(let seq)? = object["seq"], case .int(let number)? = object["number"],
                let name = object["kind"]?.string, let kind = Pending.Kind(rawValue: name),
                let event = object["event"]?.string, case .int(let due)? = object["due"]
            else { throw SnapshotTextError(message: "a timer is not whole") }
            guard kind != .invocation else {
                throw SnapshotTextError(message: "'\(event)' is armed by an \(name), which is of a later wfd")
            }
            let owner: Pending.Owner =
                if let path = object["state"]?.string { .state(try state(stored: path)) } else {
                    .send(id: object["id"]?.string)
                }
            let misfire: Misfire =
                if case .int(let limit)? = object["skip"] { .skip(afterMilliseconds: limit) } else { .fire }
            var pending = Pending(
                id: Pending.ID(seq: seq, number: Int(number)), kind: kind, event: event, data: object["data"],
                due: LogicalTime(milliseconds: due), owner: owner, misfire: misfire)
            pending.isKept = object["kept"] == true
            armed.append(pending)
        }
        return armed
    }
}

extension SnapshotText {
    /// The positions of the rows that armed what a list has; only the list of an instance's row says them.
    package static func positions(in armed: String) throws(SnapshotTextError) -> [Int64] {
        if armed == "[]" { return [] }
        var positions: [Int64] = []
        for object in try armedObjects(in: armed) {
            guard case .int(let position)? = object["position"] else {
                throw SnapshotTextError(message: "a timer has no row that armed it")
            }
            positions.append(position)
        }
        return positions
    }

    fileprivate static func armedObjects(in text: String) throws(SnapshotTextError) -> [JSONObject] {
        guard case .array(let elements) = try Machine.value(text, "list of timers") else {
            throw SnapshotTextError(message: "the timers are not a list")
        }
        var objects: [JSONObject] = []
        for element in elements {
            guard let object = element.object else { throw SnapshotTextError(message: "a timer is not whole") }
            objects.append(object)
        }
        return objects
    }
}
