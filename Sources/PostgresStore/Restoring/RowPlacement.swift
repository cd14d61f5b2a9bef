import Statechart
import WorkflowJSON
import WorkflowStore

/// The places of a file's rows in the partitions of a store.
///
/// A number keeps its value within the partition of its instance, so the order of an instance's rows and the places of
/// its effects behind them stay. What belongs to no living instance is in the first partition.
struct RowPlacement {
    private let placement: Placement
    /// The partitions of the instances: one byte each, in pages by their numbers, which may have gaps.
    private var pages: [Int64: [UInt8]] = [:]
    private static let pageSize: Int64 = 256

    init(partitions: Int) {
        placement = Placement(partitions: partitions)
    }

    /// True if rows change.
    private var isSpread: Bool { !placement.hasOne }

    func partition(of instance: InstanceID) -> PartitionID {
        guard instance.rawValue >= 0, let page = pages[instance.rawValue / Self.pageSize] else { return .first }
        // Proof: a page has a place for each remainder.
        return PartitionID(rawValue: Int64(page[Int(instance.rawValue % Self.pageSize)]))
    }

    private func placed<Number: PartitionedNumber>(_ number: Number, _ partition: PartitionID) -> Number {
        Number(partition, number: number.number) ?? number
    }

    /// Places an instance; later rows of the instance follow.
    mutating func place(_ record: InstanceRecord) throws(StoreError) -> InstanceRecord {
        guard isSpread, record.status != .purging else { return record }
        let partition = placement.partition(of: InstanceKey(record.name, in: record.namespace))
        let number = record.id.number
        guard number >= 0 else { throw Self.unreadable }
        // Proof: a page has a place for each remainder, and a store has at most 64 partitions.
        pages[number / Self.pageSize, default: Array(repeating: 0, count: Int(Self.pageSize))][
            Int(number % Self.pageSize)] = UInt8(truncatingIfNeeded: partition.rawValue)
        var record = record
        record.id = placed(record.id, partition)
        record.head = placed(record.head, partition)
        record.state.armed = try armed(record.state.armed, partition)
        return record
    }

    /// Returns the list of armed items with the positions of the instance's rows.
    private func armed(_ text: String, _ partition: PartitionID) throws(StoreError) -> String {
        if text == "[]" || partition == .first { return text }
        // The file was verified; a list that cannot be read would have been found.
        guard case .array(let list)? = try? JSONReader.value(from: text) else { throw Self.unreadable }
        var moved: [JSONValue] = []
        for item in list {
            guard case .object(var fields) = item, case .int(let position)? = fields["position"] else {
                throw Self.unreadable
            }
            _ = fields.replace(.int(placed(Position(rawValue: position), partition).rawValue), forKey: "position")
            moved.append(.object(fields))
        }
        return JSONWriter.string(JSONValue.array(moved))
    }

    private static let unreadable = StoreError(
        .damaged, "Cannot restore: an instance in the file cannot be read; verify the file")

    /// Places the rows of all tables but the instances.
    func place(_ rows: inout ExportedRows) {
        guard isSpread else { return }
        for place in rows.journal.indices {
            let partition = move(&rows.journal[place].instanceID)
            rows.journal[place].position = placed(rows.journal[place].position, partition)
            let previous = rows.journal[place].previous
            rows.journal[place].previous = previous.map { placed($0, partition) }
        }
        for place in rows.snapshots.indices {
            let partition = move(&rows.snapshots[place].instanceID)
            rows.snapshots[place].position = placed(rows.snapshots[place].position, partition)
        }
        for place in rows.timers.indices {
            let partition = move(&rows.timers[place].instanceID)
            rows.timers[place].key.position = placed(rows.timers[place].key.position, partition)
        }
        for place in rows.effects.indices {
            let partition = move(&rows.effects[place].instanceID)
            rows.effects[place].id = placed(rows.effects[place].id, partition)
        }
        for place in rows.attempts.indices {
            let partition = move(&rows.attempts[place].instanceID)
            rows.attempts[place].effect = placed(rows.attempts[place].effect, partition)
        }
        for place in rows.erasures.indices {
            // An erasure that has not begun has a negative id, which is no position.
            let partition = move(&rows.erasures[place].instanceID)
            let id = rows.erasures[place].id
            if id > 0 { rows.erasures[place].id = placed(Position(rawValue: id), partition).rawValue }
            let next = rows.erasures[place].walk?.next
            rows.erasures[place].walk?.next = next.map { placed($0, partition) }
        }
    }

    /// Moves the number of an instance into its partition.
    private func move(_ instance: inout InstanceID) -> PartitionID {
        let partition = partition(of: instance)
        if partition != .first { instance = placed(instance, partition) }
        return partition
    }
}
