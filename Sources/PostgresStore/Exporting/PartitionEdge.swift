import WorkflowStore

/// The first and last numbers of a partition that matter for its place in an export.
struct PartitionEdge: Sendable {
    /// The number of the first row whose key may be remembered, or the number behind all rows.
    var floor: Int64
    /// The number behind all positions that are in use.
    var end: Int64
    /// The number of the last deletion or change; 0 for none.
    var lastRecord: Int64 = 0
    /// The next position.
    var next: Int64
    /// The next number of an instance.
    var nextInstance: Int64 = 1
    /// The number from which every row is still there.
    var purgeFloor: Int64 = 1

    /// Returns the edges of the partitions, in their order.
    static func read(_ snapshot: Snapshot, _ store: AuditedStore) throws -> [PartitionEdge] {
        let request = Request(edges) {
            $0.add(ArrayColumn(store.partitions.map(\.partition.rawValues.lowerBound)))
            $0.add(ArrayColumn(store.partitions.map(\.keys.floor.rawValue)))
            $0.add(ArrayColumn(store.partitions.map(\.partition.rawValues.upperBound)))
        }
        var found: [PartitionID: (floor: Int64?, attempt: Int64?, record: Int64?)] = [:]
        try snapshot.read(request) { answer in
            _ = try answer.all { row in
                let partition = try row.partitionID()
                found[partition] = (
                    try row.optionalPosition()?.number, try row.optionalPosition()?.number,
                    try row.optionalPosition()?.number
                )
            }
        }
        return store.partitions.map { row in
            let edge = found[row.partition]
            let used = Position(rawValue: store.found.next(row).position).number
            // An attempt outlives its effect, whose number it has.
            let end = max(used, (edge?.attempt ?? 0) + 1)
            return PartitionEdge(
                floor: min(edge?.floor ?? end, end), end: end, lastRecord: edge?.record ?? 0,
                next: row.numbers.nextPosition.number, nextInstance: row.numbers.nextInstance.number,
                purgeFloor: row.purgeFloor.number)
        }
    }

    private static let edges = Statement(
        name: "export-edges",
        sql: """
            SELECT low >> 48, (SELECT min(position) FROM journal WHERE position BETWEEN floor AND high),
                (SELECT max(effect) FROM attempt WHERE effect BETWEEN low AND high),
                greatest((SELECT max(position) FROM audit WHERE position BETWEEN low AND high),
                    (SELECT max(position) FROM change WHERE position BETWEEN low AND high))
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) u (low, floor, high) ORDER BY 1
            """)
}
