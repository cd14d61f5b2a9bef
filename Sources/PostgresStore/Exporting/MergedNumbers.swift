import Statechart
import WorkflowStore

/// The numbers of the rows of several partitions in one.
///
/// All counting stays far below the largest integer: there are at most 64 partitions with numbers below 2^48.
struct MergedNumbers: RowNumbers {
    /// The distances by which the numbers of a partition move.
    private struct Part {
        let floor: Int64
        /// Below the floor, and from it on; for numbers that no restore has placed.
        var below: Int64 = 0
        var above: Int64 = 0
        var instance: Int64 = 0
    }

    private var parts: [Part]
    /// The last position and the last number of an instance that a restore has placed.
    private let placed: (position: Int64, instance: Int64)
    /// The distance of placed positions from their partition's floor on. Those below the floor stay.
    private var placedAbove: Int64 = 0
    /// The distance of deletions and changes, behind all other rows.
    private var records: Int64 = 0

    /// The position from which keys are remembered.
    private(set) var floor = Position(rawValue: 1)
    private(set) var purgeFloor = Position(rawValue: 1)
    /// The position behind all rows and effects.
    private(set) var behindRows = Position(rawValue: 1)
    /// The next position, behind deletions and changes too.
    private(set) var end = Position(rawValue: 1)
    private(set) var nextInstance = InstanceID(rawValue: 1)

    /// - Parameters:
    ///   - edges: The edges of all partitions, in their order.
    ///   - placed: The last position and the last number of an instance that a restore has placed; 0 for none.
    init(_ edges: [PartitionEdge], placed: (position: Int64, instance: Int64)) {
        self.placed = placed
        parts = edges.map { Part(floor: $0.floor) }
        placePositions(edges)
        placeInstances(edges)
        measure(edges)
    }

    private mutating func placePositions(_ edges: [PartitionEdge]) {
        var last = edges.map { min($0.floor - 1, placed.position) }.max() ?? 0
        for place in parts.indices {
            parts[place].below = last - placed.position
            last += max(0, edges[place].floor - 1 - placed.position)
        }
        floor = Position(rawValue: last + 1)
        let begin = edges.map { min($0.floor, placed.position + 1) }.min() ?? 1
        let end = edges.map { min($0.end - 1, placed.position) }.max() ?? 0
        placedAbove = last + 1 - begin
        last += max(0, end + 1 - begin)
        for place in parts.indices {
            let begin = max(placed.position + 1, edges[place].floor)
            parts[place].above = last + 1 - begin
            last += max(0, edges[place].end - begin)
        }
    }

    private mutating func placeInstances(_ edges: [PartitionEdge]) {
        var last = placed.instance
        for place in parts.indices {
            parts[place].instance = last - placed.instance
            last += max(0, edges[place].nextInstance - 1 - placed.instance)
        }
        nextInstance = InstanceID(rawValue: last + 1)
    }

    /// Sets the ends and the floor of deletions.
    private mutating func measure(_ edges: [PartitionEdge]) {
        var (lastRow, gap, lastRecord, purged) = (Int64(0), Int64(0), Int64(0), Int64(1))
        for (place, edge) in edges.enumerated() {
            let last = edge.end > 1 ? number(edge.end - 1, in: place) : 0
            // Ended effects of the last row leave positions behind it.
            if last > lastRow { (lastRow, gap) = (last, max(0, edge.next - edge.end)) }
            if edge.lastRecord > 0 { lastRecord = max(lastRecord, number(edge.lastRecord, in: place)) }
            if edge.purgeFloor > 1 { purged = max(purged, number(edge.purgeFloor, in: place)) }
        }
        behindRows = Position(rawValue: lastRow + gap + 1)
        records = behindRows.rawValue
        end = lastRecord > 0 ? Position(rawValue: records + lastRecord + 1) : behindRows
        purgeFloor = Position(rawValue: min(purged, behindRows.rawValue))
    }

    /// True if a file can have the numbers.
    var areInRange: Bool {
        StoreNumbers.range.contains(end.rawValue) && StoreNumbers.range.contains(nextInstance.rawValue)
    }

    /// Returns the number of a position of a partition.
    private func number(_ number: Int64, in place: Int) -> Int64 {
        // A number of a partition that is not there is left as it is, for the check of the file.
        guard parts.indices.contains(place) else { return number }
        let part = parts[place]
        if number <= placed.position { return number < part.floor ? number : number + placedAbove }
        return number + (number < part.floor ? part.below : part.above)
    }

    func position(_ position: Position, of instance: InstanceID) -> Position { merged(position) }

    private func merged(_ position: Position) -> Position {
        Position(rawValue: number(position.number, in: Int(position.partition.rawValue)))
    }

    /// Returns the position of a deletion or a change.
    func behind(_ position: Position) -> Position { Position(rawValue: merged(position).rawValue + records) }

    func instance(_ id: InstanceID) -> InstanceID {
        let place = Int(id.partition.rawValue)
        guard id.number > placed.instance, parts.indices.contains(place) else {
            return InstanceID(rawValue: id.number)
        }
        return InstanceID(rawValue: id.number + parts[place].instance)
    }
}
