import Statechart
import WorkflowJSON
import WorkflowStore

/// Other numbers for instances and positions. The rows of an instance keep their order.
protocol RowNumbers {
    /// Returns the new number of an instance.
    func instance(_ id: InstanceID) -> InstanceID
    /// Returns the new position of a row or an effect of an instance, which is named by its old number.
    func position(_ position: Position, of instance: InstanceID) -> Position
}

extension RowNumbers {
    /// Returns an instance with its new numbers.
    func renumber(_ record: InstanceRecord) throws(StoreError) -> InstanceRecord {
        var record = record
        record.state.armed = try armed(record.state.armed, of: record.id)
        record.head = position(record.head, of: record.id)
        // The name of a deleted instance has its number. Any other name is left for an audit.
        if record.name == InstanceRecord.purgedName(of: record.id) {
            record.name = InstanceRecord.purgedName(of: instance(record.id))
        }
        record.id = instance(record.id)
        return record
    }

    /// Returns the list of armed items with the new positions of the instance's rows.
    private func armed(_ text: String, of instance: InstanceID) throws(StoreError) -> String {
        if text == "[]" { return text }
        // An audit tells of a list that cannot be read.
        guard case .array(let list)? = try? JSONReader.value(from: text) else { throw Self.unreadable }
        var moved: [JSONValue] = []
        var isMoved = false
        for item in list {
            guard case .object(var fields) = item, case .int(let old)? = fields["position"] else {
                throw Self.unreadable
            }
            let new = position(Position(rawValue: old), of: instance).rawValue
            if new != old {
                _ = fields.replace(.int(new), forKey: "position")
                isMoved = true
            }
            moved.append(.object(fields))
        }
        return isMoved ? JSONWriter.string(JSONValue.array(moved)) : text
    }

    private static var unreadable: StoreError {
        StoreError(.damaged, "Cannot copy: an instance has a list of timers that cannot be read; run 'wfd verify'")
    }

    /// Gives the rows of histories, timers, effects, attempts and erasures their new numbers.
    func renumber(_ rows: inout ExportedRows) {
        for place in rows.journal.indices {
            let id = rows.journal[place].instanceID
            rows.journal[place].position = position(rows.journal[place].position, of: id)
            rows.journal[place].previous = rows.journal[place].previous.map { position($0, of: id) }
            rows.journal[place].instanceID = instance(id)
        }
        for place in rows.snapshots.indices {
            let id = rows.snapshots[place].instanceID
            rows.snapshots[place].position = position(rows.snapshots[place].position, of: id)
            rows.snapshots[place].instanceID = instance(id)
        }
        for place in rows.timers.indices {
            let id = rows.timers[place].instanceID
            rows.timers[place].key.position = position(rows.timers[place].key.position, of: id)
            rows.timers[place].instanceID = instance(id)
        }
        for place in rows.effects.indices {
            let id = rows.effects[place].instanceID
            rows.effects[place].id = position(rows.effects[place].id, of: id)
            rows.effects[place].instanceID = instance(id)
        }
        for place in rows.attempts.indices {
            let id = rows.attempts[place].instanceID
            rows.attempts[place].effect = position(rows.attempts[place].effect, of: id)
            rows.attempts[place].instanceID = instance(id)
        }
        for place in rows.erasures.indices {
            let (id, erasure) = (rows.erasures[place].instanceID, rows.erasures[place].id)
            // An erasure that has not begun has a negative id, which is no position.
            if erasure > 0 {
                rows.erasures[place].id = position(Position(rawValue: erasure), of: id).rawValue
            }
            let next = rows.erasures[place].walk?.next
            rows.erasures[place].walk?.next = next.map { position($0, of: id) }
            if id != ErasureRecord.noInstance { rows.erasures[place].instanceID = instance(id) }
        }
    }
}
